// SPDX-License-Identifier: Apache-2.0
// Reads NET_NIC_METRIC and NET_IB_SWITCH_METRIC: traffic of a network port per interval, shown as a rate.
#include <array>
#include <charconv>
#include <tuple>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/small_table.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

NetworkNames::NetworkNames(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes)
{
    std::map<int64_t, std::string> byNumber;
    constexpr std::array<std::string_view, 4> kDevice{"nicId", "name", "GUID", "globalId"};
    eachRow(database, schema, "TARGET_INFO_NIC_INFO", kDevice, notes, [&](const SqliteQuery& row) {
        const std::string name = repairedUtf8(row.text(2));
        byNumber[row.integer(1)] = name;
        for (const int column : {3, 4}) {
            if (const auto id = row.optionalInteger(column)) m_devices[static_cast<uint64_t>(*id)] = name;
        }
    });
    constexpr std::array<std::string_view, 2> kMap{"nicId", "globalId"};
    eachRow(database, schema, "NIC_ID_MAP", kMap, notes, [&](const SqliteQuery& row) {
        const auto device = byNumber.find(row.integer(1));
        if (device != byNumber.end()) m_devices[static_cast<uint64_t>(row.integer(2))] = device->second;
    });
    constexpr std::array<std::string_view, 4> kMetric{"metricsListId", "metricsIdx", "name", "unit"};
    eachRow(database, schema, "TARGET_INFO_NETWORK_METRICS", kMetric, notes, [&](const SqliteQuery& row) {
        m_metrics[{row.integer(1), row.integer(2)}] = {repairedUtf8(row.text(3)), repairedUtf8(row.text(4))};
    });
}

std::string NetworkNames::deviceOf(uint64_t id) const
{
    const auto found = m_devices.find(id);
    if (found != m_devices.end() && !found->second.empty()) return found->second;
    std::array<char, 20> text{};
    return "device " +
           std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), id, 16).ptr);
}

std::pair<std::string, std::string> NetworkNames::metricOf(int64_t list, int64_t index) const
{
    const auto found = m_metrics.find({list, index});
    if (found != m_metrics.end()) return found->second;
    return {"metric " + std::to_string(list) + "/" + std::to_string(index), ""};
}

// The value of a row is the amount during [start, end).
void readNetworkMetrics(TableScan& scan)
{
    enum : int { kStart, kEnd, kGlobalId, kGuid, kPort, kList, kIndex, kValue };
    using Key = std::tuple<uint64_t, int64_t, int64_t, int64_t>;
    std::map<Key, CounterRun> runs;
    while (scan.next()) {
        scan.count(CountedRows::networkMetric);
        const auto start = scan.optionalInteger(kStart), end = scan.optionalInteger(kEnd);
        int64_t length_ns = 0;
        if (!start || !end || __builtin_sub_overflow(*end, *start, &length_ns) || length_ns == 0 ||
            !isPlausible(*start, length_ns)) {
            scan.note("counter.bad_time", NoteSeverity::dataLoss, "samples without a time: not shown");
            continue;
        }
        const uint64_t id = scan.globalId(scan.isNull(kGlobalId) ? kGuid : kGlobalId);
        const int64_t port = scan.isNull(kPort) ? -1 : scan.integer(kPort);
        CounterRun& run = runs[{id, port, scan.integer(kList), scan.integer(kIndex)}];
        run.samples.push_back({*start, scan.real(kValue) * 1e9 / static_cast<double>(length_ns)});
    }
    for (auto& [key, run] : runs) {
        const auto& [id, port, list, index] = key;
        const auto [metric, unit] = scan.reading().network.metricOf(list, index);
        run.name = scan.reading().network.deviceOf(id) + (port >= 0 ? " port " + std::to_string(port) : "") +
                   ": " + metric + " [" + (unit.empty() ? "1" : unit) + "/s]";
        run.device = -1;
        scan.result().findings.counters.push_back(std::move(run));
    }
}

} // namespace lockstep
