// SPDX-License-Identifier: Apache-2.0
#include "core/readers/ascend_db/ascend_import.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/readers/chrome_json/ascend_rows.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

namespace {

constexpr int64_t kStride = 4096; // number of rows between two progress checks
// context number for lanes of communications, which are separate from the lanes of their streams
constexpr int64_t kHcclContext = 1;
constexpr int64_t kLargestPid = int64_t(1) << 32;

// Tables that are read here or only by readSliceDetails(), and tables of strings.
constexpr std::array<std::string_view, 16> kKnownTables{"STRING_IDS",        "TASK",
                                                        "COMPUTE_TASK_INFO", "COMMUNICATION_TASK_INFO",
                                                        "COMMUNICATION_OP",  "CANN_API",
                                                        "PYTORCH_API",       "MSTX_EVENTS",
                                                        "STEP_TIME",         "RANK_DEVICE_MAP",
                                                        "HOST_INFO",         "META_DATA",
                                                        "SESSION_TIME_INFO", "NPU_INFO",
                                                        "CONNECTION_IDS",    "AICORE_FREQ"};

SliceRow rowOf(const EventClass& what, StringId name, int64_t start_ns)
{
    SliceRow row;
    row.start_ns = start_ns;
    row.name = name;
    row.kind = what.kind;
    row.category = what.category;
    return row;
}

} // namespace

AscendImport::AscendImport(const SqliteDatabase& database, const SchemaProbe& schema, ReportBuilder& builder,
                           const Progress& progress)
    : m_database(database), m_schema(schema), m_builder(builder), m_progress(progress),
      m_batch(progress.place().temporary())
{
}

Status AscendImport::run()
{
    LOCKSTEP_TRY(readNames());
    LOCKSTEP_TRY(readFacts());
    LOCKSTEP_TRY(readTaskKinds());
    LOCKSTEP_TRY(readConnections());
    LOCKSTEP_TRY(readTasks());
    LOCKSTEP_TRY(readCommunications());
    LOCKSTEP_TRY(readCalls());
    LOCKSTEP_TRY(readOps());
    LOCKSTEP_TRY(readMarks());
    LOCKSTEP_TRY(readSteps());
    LOCKSTEP_TRY(readCounters());
    noteUnread();
    Report& report = m_builder.report();
    report.clock = {"Unix epoch (Ascend)", 0, 1, std::nullopt, "startNs"};
    report.rowCounts.assign(m_counts.begin(), m_counts.end());
    m_builder.adopt(std::move(m_batch));
    return {};
}

template<size_t N, class Take>
Status AscendImport::scan(std::string_view table, const std::array<std::string_view, N>& columns, Take take)
{
    if (!m_schema.has(table)) return {};
    const auto noteDamage = [&](const Error& error) {
        m_builder.report().notes.add("table.cut_short", NoteSeverity::dataLoss, kTableDamage,
                                     std::string(table) + ": " + error.message);
    };
    auto query = m_database.query(m_schema.select(table, columns));
    if (!query) {
        noteDamage(query.error());
        return {};
    }
    for (int64_t rows = 0;; ++rows) {
        if (rows % kStride == 0) LOCKSTEP_TRY(m_progress.check());
        const auto row = query->step();
        if (!row) noteDamage(row.error());
        if (!row || !*row) return {};
        take(*query);
    }
}

Status AscendImport::readNames()
{
    static constexpr std::array<std::string_view, 2> kTexts{"id", "value"};
    static constexpr std::array<std::string_view, 2> kEnum{"id", "name"};
    LOCKSTEP_TRY(scan("STRING_IDS", kTexts, [&](const SqliteQuery& row) {
        m_names.emplace(row.integer(1), m_builder.intern(repairedUtf8(row.text(2))));
    }));
    LOCKSTEP_TRY(scan("ENUM_API_TYPE", kEnum,
                      [&](const SqliteQuery& row) { m_apiTypes[row.integer(1)] = row.text(2); }));
    return scan("ENUM_HCCL_DATA_TYPE", kEnum,
                [&](const SqliteQuery& row) { m_dataTypes[row.integer(1)] = row.text(2); });
}

Status AscendImport::readFacts()
{
    Report& report = m_builder.report();
    std::set<int64_t> ranks;
    static constexpr std::array<std::string_view, 2> kRanks{"rankId", "deviceId"};
    LOCKSTEP_TRY(scan("RANK_DEVICE_MAP", kRanks, [&](const SqliteQuery& row) {
        if (row.optionalInteger(1)) ranks.insert(row.integer(1));
    }));
    if (ranks.size() == 1 && *ranks.begin() >= 0 && *ranks.begin() < 1 << 24) {
        report.identity.rank.learn(static_cast<int>(*ranks.begin()), "RANK_DEVICE_MAP.rankId",
                                   Confidence::stated);
    }
    static constexpr std::array<std::string_view, 2> kHost{"hostName", "hostUid"};
    LOCKSTEP_TRY(scan("HOST_INFO", kHost, [&](const SqliteQuery& row) {
        if (!row.text(1).empty())
            report.identity.host.learn(repairedUtf8(row.text(1)), "HOST_INFO.hostName", Confidence::stated);
        const std::string machine = repairedUtf8(row.text(2));
        if (!machine.empty() && machine != "0") // MindSpore writes 0 if the value is unknown
            report.facts.emplace_back("Host uid", machine);
    }));
    static constexpr std::array<std::string_view, 2> kMeta{"name", "value"};
    LOCKSTEP_TRY(scan("META_DATA", kMeta, [&](const SqliteQuery& row) {
        constexpr size_t kMaxFacts = 200, kLongest = 2000;
        if (report.facts.size() < kMaxFacts)
            report.facts.emplace_back(repairedUtf8(row.text(1)),
                                      repairedUtf8(row.text(2).substr(0, kLongest)));
    }));
    static constexpr std::array<std::string_view, 2> kSession{"startTimeNs", "endTimeNs"};
    return scan("SESSION_TIME_INFO", kSession, [&](const SqliteQuery& row) {
        if (row.integer(1) > 0 && row.integer(2) > row.integer(1))
            report.session = {{row.integer(1)}, {row.integer(2)}};
    });
}

// Determines the kind of each row of TASK from the other tables, never from its name.
Status AscendImport::readTaskKinds()
{
    static constexpr std::array<std::string_view, 2> kColumns{"globalTaskId", "name"};
    const auto takeAs = [&](bool isComputing) {
        return [this, isComputing](const SqliteQuery& row) {
            m_tasks.emplace(row.integer(1), Task{nameOf(row.integer(2)), isComputing});
        };
    };
    LOCKSTEP_TRY(scan("COMPUTE_TASK_INFO", kColumns, takeAs(true)));
    m_hasComputeTasks = !m_tasks.empty();
    LOCKSTEP_TRY(scan("COMMUNICATION_TASK_INFO", kColumns, takeAs(false)));
    static constexpr std::array<std::string_view, 1> kConnection{"connectionId"};
    LOCKSTEP_TRY(scan("COMMUNICATION_OP", kConnection, [&](const SqliteQuery& row) {
        if (row.optionalInteger(1).value_or(-1) > 0) m_collectives.insert(row.integer(1));
    }));
    static constexpr std::array<std::string_view, 4> kPlace{"globalTaskId", "deviceId", "streamId", "taskId"};
    return scan("TASK", kPlace, [&](const SqliteQuery& row) {
        const auto task = m_tasks.find(row.integer(1));
        if (task != m_tasks.end() && task->second.isComputing)
            m_computing.insert({row.integer(2), row.integer(3), row.integer(4)});
    });
}

// The tests are in the same order as in MindStudio Insight (DbTraceDataBase.cpp) and msprof-analyze
// (overlap_analysis_processor.cpp), so that the sums equal the OVERLAP_ANALYSIS table in the file.
EventClass AscendImport::classOf(const Task* task, std::string_view type, std::string_view name,
                                 int64_t connection, const TaskKey& place, bool isWholeTask) const
{
    constexpr EventClass kComputing{RowKind::kernel, TrackKind::gpuStream, SliceCategory::compute};
    constexpr EventClass kDetail{RowKind::gpuAnnotation, TrackKind::gpuAnnotation, SliceCategory::other};
    if (task != nullptr) return task->isComputing ? kComputing : kDetail; // otherwise part of a collective
    // the HCCL kernel that contains the task
    if (type == "AI_CORE" && m_collectives.contains(connection)) return kDetail;
    // The task is a part of a MIX operator; the other part of the operator is counted.
    if (isWholeTask && m_computing.contains(place)) return kDetail;
    const EventClass byType = ascendTaskClass(type, name);
    return m_hasComputeTasks && byType.category == SliceCategory::compute ? kDetail : byType;
}

Status AscendImport::readConnections()
{
    static constexpr std::array<std::string_view, 2> kColumns{"id", "connectionId"};
    return scan("CONNECTION_IDS", kColumns,
                [&](const SqliteQuery& row) { m_connections.emplace(row.integer(1), row.integer(2)); });
}

Status AscendImport::readTasks()
{
    static constexpr std::array<std::string_view, 10> kColumns{
        "startNs",   "endNs",    "deviceId", "connectionId", "globalTaskId",
        "globalPid", "taskType", "streamId", "taskId",       "contextId"};
    constexpr int64_t kNoContext = 4294967295;
    uint64_t classedByType = 0;
    LOCKSTEP_TRY(scan("TASK", kColumns, [&](const SqliteQuery& row) {
        const auto task = m_tasks.find(row.integer(5));
        const StringId type = nameOf(row.integer(7));
        const StringId name =
            task != m_tasks.end() && task->second.name.value != 0 ? task->second.name : type;
        const EventClass what =
            classOf(task != m_tasks.end() ? &task->second : nullptr, m_builder.text(type),
                    m_builder.text(name), row.optionalInteger(4).value_or(-1),
                    {row.integer(3), row.integer(8), row.integer(9)}, row.integer(10) == kNoContext);
        if (!m_hasComputeTasks && what.category == SliceCategory::compute) ++classedByType;
        const ProcessId process = processOf(row.integer(6));
        m_pidOfDevice.try_emplace(row.integer(3), row.integer(6));
        const DeviceId device =
            m_builder.device(process, static_cast<int>(std::clamp<int64_t>(row.integer(3), -1, 1 << 20)));
        const TrackId track = m_builder.track({what.track, process, {}, device, row.integer(8), 0});
        SliceRow slice = rowOf(what, name, row.integer(1));
        slice.source = sourceOf("TASK", row.integer(0));
        const int64_t connection = row.optionalInteger(4).value_or(-1);
        if (connection > 0 && connection < kNoCorrelation)
            slice.correlation = static_cast<uint32_t>(connection);
        add(track, slice, row.integer(2));
        addFlow(connection, slice, track, FlowRole::end);
    }));
    if (classedByType > 0) {
        m_builder.report().notes.add(
            "ascend.class_by_type", NoteSeverity::warning,
            "COMPUTE_TASK_INFO is missing or empty: compute tasks are recognized by task type, so "
            "compute totals are estimates",
            "TASK", classedByType);
    }
    return {};
}

Status AscendImport::readCommunications()
{
    static constexpr std::array<std::string_view, 8> kColumns{
        "startNs", "endNs", "opName", "connectionId", "groupName", "dataType", "count", "deviceId"};
    return scan("COMMUNICATION_OP", kColumns, [&](const SqliteQuery& row) {
        const int64_t device =
            row.optionalInteger(8).value_or(m_pidOfDevice.size() == 1 ? m_pidOfDevice.begin()->first : 0);
        const auto pid = m_pidOfDevice.find(device);
        const ProcessId process = processOf(pid != m_pidOfDevice.end() ? pid->second : 0);
        const auto [lane, isNew] =
            m_groups.try_emplace(row.integer(5), static_cast<int64_t>(m_groups.size()));
        const TrackId track = m_builder.track(
            {TrackKind::gpuStream,
             process,
             {},
             m_builder.device(process, static_cast<int>(std::clamp<int64_t>(device, -1, 1 << 20))),
             lane->second,
             kHcclContext});
        const StringId group = nameOf(row.integer(5));
        if (isNew)
            m_builder.setTrackName(track, m_builder.intern("HCCL " + std::string(m_builder.text(group))));
        const StringId name = nameOf(row.integer(3));
        SliceRow slice = rowOf({RowKind::kernel, TrackKind::gpuStream, SliceCategory::communication}, name,
                               row.integer(1));
        slice.source = sourceOf("COMMUNICATION_OP", row.integer(0));
        const int64_t connection = row.optionalInteger(4).value_or(-1);
        if (connection > 0 && connection < kNoCorrelation)
            slice.correlation = static_cast<uint32_t>(connection);
        add(track, slice, row.integer(2));
        CollectiveOp op = hcclCollective(m_builder.text(name), m_builder.report().strings);
        if (group.value != 0) op.group = group;
        const auto type = m_dataTypes.find(row.integer(6));
        const auto count = row.optionalInteger(7);
        if (type != m_dataTypes.end()) op.dataType = m_builder.intern(type->second);
        if (count && *count > 0) op.inElements = static_cast<uint64_t>(*count);
        const uint64_t bytes = type != m_dataTypes.end() ? hcclElementBytes(type->second) : 0;
        if (count && *count > 0 && bytes > 0) op.message_bytes = static_cast<uint64_t>(*count) * bytes;
        m_batch.addCollective(slice.source, op);
    });
}

Status AscendImport::readCalls()
{
    static constexpr std::array<std::string_view, 5> kColumns{"startNs", "endNs", "globalTid", "connectionId",
                                                              "name"};
    constexpr EventClass kCall{RowKind::runtimeApi, TrackKind::cudaApi, SliceCategory::cudaApi};
    return scan("CANN_API", kColumns, [&](const SqliteQuery& row) {
        SliceRow slice = rowOf(kCall, nameOf(row.integer(5)), row.integer(1));
        slice.source = sourceOf("CANN_API", row.integer(0));
        const int64_t connection = row.optionalInteger(4).value_or(-1);
        if (connection > 0 && connection < kNoCorrelation)
            slice.correlation = static_cast<uint32_t>(connection);
        add(threadTrack(kCall.track, row.integer(3)), slice, row.integer(2));
    });
}

// PYTORCH_API.type: op, queue (Enqueue and Dequeue of the task queue), trace (Python calls), mstx.
Status AscendImport::readOps()
{
    static constexpr std::array<std::string_view, 6> kColumns{"startNs",      "endNs", "globalTid",
                                                              "connectionId", "name",  "type"};
    constexpr EventClass kOp{RowKind::op, TrackKind::ops, SliceCategory::op};
    constexpr EventClass kStep{RowKind::userAnnotation, TrackKind::ops, SliceCategory::nvtx};
    constexpr EventClass kPython{RowKind::python, TrackKind::python, SliceCategory::python};
    constexpr EventClass kQueue{};
    return scan("PYTORCH_API", kColumns, [&](const SqliteQuery& row) {
        const StringId name = nameOf(row.integer(5));
        const std::string_view text = m_builder.text(name);
        const auto type = m_apiTypes.find(row.integer(6));
        const std::string_view word = type != m_apiTypes.end() ? std::string_view(type->second) : "op";
        const bool isStep = text.starts_with("ProfilerStep#");
        m_hasSteps |= isStep;
        const EventClass what = isStep ? kStep : word == "queue" ? kQueue : word == "trace" ? kPython : kOp;
        SliceRow slice = rowOf(what, name, row.integer(1));
        slice.source = sourceOf("PYTORCH_API", row.integer(0));
        const TrackId track = threadTrack(what.track, row.integer(3));
        add(track, slice, row.integer(2));
        const auto [from, to] = m_connections.equal_range(row.optionalInteger(4).value_or(-1));
        const FlowRole role = text.starts_with("Dequeue") ? FlowRole::end : FlowRole::start;
        for (auto connection = from; connection != to; ++connection)
            addFlow(connection->second, slice, track, role);
    });
}

Status AscendImport::readMarks()
{
    static constexpr std::array<std::string_view, 4> kColumns{"startNs", "endNs", "globalTid", "message"};
    constexpr EventClass kRange{RowKind::nvtxPushPop, TrackKind::nvtx, SliceCategory::nvtx};
    return scan("MSTX_EVENTS", kColumns, [&](const SqliteQuery& row) {
        SliceRow slice = rowOf(kRange, nameOf(row.integer(4)), row.integer(1));
        slice.source = sourceOf("MSTX_EVENTS", row.integer(0));
        const int64_t end_ns = std::max(row.integer(2), row.integer(1));
        if (end_ns == row.integer(1)) {
            slice.kind = RowKind::nvtxMark;
            slice.flags = sliceFlag::kInstant;
        }
        add(threadTrack(kRange.track, row.integer(3)), slice, end_ns);
    });
}

// Used only if there are no ProfilerStep#N ranges, because the table duplicates them.
Status AscendImport::readSteps()
{
    if (m_hasSteps) return {};
    static constexpr std::array<std::string_view, 3> kColumns{"id", "startNs", "endNs"};
    constexpr EventClass kStep{RowKind::userAnnotation, TrackKind::ops, SliceCategory::nvtx};
    return scan("STEP_TIME", kColumns, [&](const SqliteQuery& row) {
        const StringId name = m_builder.intern("ProfilerStep#" + std::to_string(row.integer(1)));
        SliceRow slice = rowOf(kStep, name, row.integer(2));
        slice.source = sourceOf("STEP_TIME", row.integer(0));
        const int64_t pid = m_pidOfDevice.empty() ? 0 : m_pidOfDevice.begin()->second;
        const TrackId track = m_builder.track({kStep.track, processOf(pid), {}, {}, 0, 0});
        add(track, slice, row.integer(3));
    });
}

Status AscendImport::readCounters()
{
    std::map<int64_t, std::vector<std::pair<int64_t, double>>> samples;
    static constexpr std::array<std::string_view, 3> kColumns{"deviceId", "timestampNs", "freq"};
    LOCKSTEP_TRY(scan("AICORE_FREQ", kColumns, [&](const SqliteQuery& row) {
        if (!isPlausible(row.integer(2), 0))
            return m_builder.report().notes.add("row.no_time", NoteSeverity::dataLoss,
                                                "rows without readable times: not shown",
                                                "AICORE_FREQ row " + std::to_string(row.integer(0)));
        samples[row.integer(1)].emplace_back(row.integer(2), row.real(3));
    }));
    for (auto& [device, values] : samples) {
        CounterTrack track;
        track.name = m_builder.intern("AI Core Freq");
        track.unit = m_builder.intern("MHz");
        const auto pid = m_pidOfDevice.find(device);
        track.process = processOf(pid != m_pidOfDevice.end() ? pid->second : 0);
        track.device =
            m_builder.device(track.process, static_cast<int>(std::clamp<int64_t>(device, -1, 1 << 20)));
        m_counts["sample"] += values.size();
        m_builder.addSamples(m_builder.addCounterTrack(track), std::move(values));
    }
    return {};
}

void AscendImport::noteUnread()
{
    ImportNotes& notes = m_builder.report().notes;
    for (const std::string& name : m_schema.unreadable()) {
        if (std::ranges::find(kKnownTables, name) == kKnownTables.end()) continue; // an unrelated view
        notes.add("table.unreadable", NoteSeverity::dataLoss,
                  "profiler tables that are views or virtual tables in this file, or whose columns cannot be "
                  "listed: rows not shown",
                  name);
    }
    if (m_database.hasChanged()) {
        notes.add("file.changed", NoteSeverity::dataLoss,
                  "another program wrote to the database while it was being read: rows may be missing or "
                  "inconsistent. Open the file again after that program has finished",
                  m_builder.report().provenance.path.filename().string());
    }
    for (const auto& [table, columns] : m_schema.tables()) {
        if (std::ranges::find(kKnownTables, table) != kKnownTables.end() || table.starts_with("ENUM_") ||
            table.starts_with("sqlite_")) {
            continue;
        }
        auto query = m_database.query("SELECT 1 FROM " + quotedName(table) + " LIMIT 1");
        if (!query || !query->step().value_or(false)) continue;
        notes.add("table.not_shown", NoteSeverity::info, "profiler tables that Lockstep does not show",
                  table);
    }
}

void AscendImport::add(TrackId track, SliceRow row, int64_t end_ns)
{
    if (end_ns < row.start_ns || !isPlausible(row.start_ns, end_ns - row.start_ns)) {
        m_builder.report().notes.add(
            "row.no_time", NoteSeverity::dataLoss, "rows without readable times: not shown",
            m_builder.report().sourceTables[row.source.table()] + " row " + std::to_string(row.source.row()));
        return;
    }
    row.duration_ns = end_ns - row.start_ns;
    ++m_counts[std::string(rowKindName(row.kind))];
    m_batch.add(track, row);
}

void AscendImport::addFlow(int64_t connection, const SliceRow& row, TrackId track, FlowRole role)
{
    if (connection <= 0 || m_connections.empty()) return;
    m_batch.addFlow({static_cast<uint64_t>(connection), row.start_ns, track, role, false});
}

SourceRow AscendImport::sourceOf(std::string_view table, int64_t row)
{
    auto found = m_sources.find(table);
    if (found == m_sources.end()) {
        auto& tables = m_builder.report().sourceTables;
        found = m_sources.emplace(std::string(table), static_cast<uint8_t>(tables.size())).first;
        tables.emplace_back(table);
    }
    return SourceRow::of(found->second, static_cast<uint64_t>(row));
}

StringId AscendImport::nameOf(int64_t id)
{
    const auto found = m_names.find(id);
    return found != m_names.end() ? found->second : StringId(0u);
}

ProcessId AscendImport::processOf(int64_t pid)
{
    const int64_t known = pid > 0 && pid < kLargestPid ? pid : 0;
    return m_builder.process(static_cast<uint64_t>(known), known);
}

// globalTid contains the pid in the upper 32 bits and the tid in the lower 32 bits.
TrackId AscendImport::threadTrack(TrackKind kind, int64_t globalTid)
{
    const ProcessId process = processOf(globalTid >> 32);
    return m_builder.track({kind, process, m_builder.thread(process, globalTid & 0xFFFFFFFF), {}, 0, 0});
}

} // namespace lockstep
