// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/export_reading.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/small_table.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

// Visits the fields of a flat JSON object that are numbers or strings with numbers in them.
template<class Take>
bool eachNumber(std::string_view text, Take take)
{
    const Json object = jsonFrom(text);
    if (!object.is_object()) return false;
    bool any = false;
    for (auto field = object.begin(); field != object.end(); ++field) {
        const Json& value = field.value();
        std::optional<double> number;
        if (value.is_number()) number = value.get<double>();
        if (value.is_string()) number = parseDouble(value.get_ref<const std::string&>());
        if (!number) continue;
        take(field.key(), *number);
        any = true;
    }
    return any;
}

// The counters of one scan, by type and field name. Fields from JSON belong to the GPU in the type.
class GenericRuns {
  public:
    explicit GenericRuns(TableScan& scan) : m_scan(scan) {}

    void add(uint64_t type, const std::string& name, int64_t device, int64_t time_ns, double value)
    {
        CounterRun& run = m_runs[{type, name}];
        run.device = device;
        run.samples.push_back({time_ns, value});
    }
    void flush()
    {
        for (auto& [key, run] : m_runs) {
            run.typeId = key.first;
            run.name = shownText(key.second, m_scan.result().notes, "GENERIC_EVENTS", 0);
            m_scan.result().findings.counters.push_back(std::move(run));
        }
    }

  private:
    TableScan& m_scan;
    std::map<std::pair<uint64_t, std::string>, CounterRun> m_runs;
};

void addInstant(TableScan& scan, uint64_t type, std::optional<int64_t> time)
{
    SliceRow row;
    row.source = scan.source();
    const std::string name = scan.reading().genericTypes.nameOf(type);
    row.name = scan.reading().builder.intern(name);
    row.kind = RowKind::instant;
    const auto lane = static_cast<int64_t>(type & 0x7FFFFFFF);
    scan.addInstant(scan.tracks().cpu(TrackKind::other, 0, lane, name), row, time);
}

} // namespace

GenericEventTypes::GenericEventTypes(const SqliteDatabase& database, const SchemaProbe& schema,
                                     const StringIds& strings, ReportBuilder& builder)
{
    ImportNotes& notes = builder.report().notes;
    constexpr std::array<std::string_view, 3> kType{"typeId", "nameId", "data"};
    eachRow(database, schema, "GENERIC_EVENT_TYPES", kType, notes, [&](const SqliteQuery& row) {
        std::string name(builder.text(strings.at(row.integer(2))));
        if (name.empty()) name = textAt(jsonFrom(repairedUtf8(row.text(3))), "Name");
        if (!name.empty()) m_types[static_cast<uint64_t>(row.integer(1))] = name;
    });
    constexpr std::array<std::string_view, 3> kField{"typeId", "fieldIdx", "fieldNameId"};
    eachRow(database, schema, "GENERIC_EVENT_TYPE_FIELDS", kField, notes, [&](const SqliteQuery& row) {
        m_fields[{static_cast<uint64_t>(row.integer(1)), row.integer(2)}] =
            builder.text(strings.at(row.integer(3)));
    });
}

std::string GenericEventTypes::nameOf(uint64_t type) const
{
    const auto found = m_types.find(type);
    return found != m_types.end() ? found->second : "generic type " + std::to_string(type);
}

std::string GenericEventTypes::fieldOf(uint64_t type, int64_t field) const
{
    const auto found = m_fields.find({type, field});
    return found != m_fields.end() && !found->second.empty() ? found->second
                                                             : "field " + std::to_string(field);
}

void readGenericValues(TableScan& scan)
{
    enum : int { kEvent, kField, kInteger, kUnsigned, kFloat, kDouble };
    while (scan.next()) {
        GenericValue value{scan.integer(kEvent), scan.integer(kField), 0};
        if (!scan.isNull(kInteger)) {
            value.value = static_cast<double>(scan.integer(kInteger));
        } else if (!scan.isNull(kUnsigned)) {
            value.value = static_cast<double>(scan.globalId(kUnsigned));
        } else if (!scan.isNull(kFloat) || !scan.isNull(kDouble)) {
            value.value = scan.real(scan.isNull(kFloat) ? kDouble : kFloat);
        } else {
            continue; // a string is shown with its event
        }
        scan.result().findings.genericValues.push_back(value);
    }
}

// The numbers of an event are in GENERIC_EVENT_DATA, in a JSON object {"SM Active": "12", ...} in the row, or
// in both.
void readGenericEvents(TableScan& scan)
{
    enum : int { kTime, kType, kJson, kEvent };
    const auto& values = scan.reading().genericValues;
    GenericRuns runs(scan);
    while (scan.next()) {
        scan.count(CountedRows::genericEvent);
        const auto time = scan.optionalInteger(kTime);
        const uint64_t type = scan.globalId(kType);
        if (!time || !isPlausible(*time, 0)) {
            scan.note("counter.bad_time", NoteSeverity::dataLoss, "samples without a time: not shown");
            continue;
        }
        const int64_t event = scan.isNull(kEvent) ? scan.rowId() : scan.integer(kEvent);
        auto value = std::ranges::lower_bound(values, event, {}, &GenericValue::event);
        const bool hasValues = value != values.end() && value->event == event;
        for (; value != values.end() && value->event == event; ++value) {
            const GenericEventTypes& types = scan.reading().genericTypes;
            runs.add(type, types.nameOf(type) + ": " + types.fieldOf(type, value->field), -1, *time,
                     value->value);
        }
        if (hasValues) continue;
        const auto take = [&](const std::string& key, double number) {
            runs.add(type, key, gpuOfTypeId(type), *time, number);
        };
        if (!eachNumber(scan.storedText(kJson), take)) addInstant(scan, type, time);
    }
    runs.flush();
}

} // namespace lockstep
