// SPDX-License-Identifier: Apache-2.0
// The report, process, thread and device tables.
#include <array>

#include "core/sql/cached_rows.h"

namespace lockstep {

namespace {

using enum SqlType;

double countReports(const SqlScene& scene)
{
    return static_cast<double>(scene.shown().size());
}

constexpr std::array kReportColumns{
    cachedColumn(0, "id", integer, "report id, valid while the report is open", "", SqlKey::id),
    cachedColumn(1, "path", text, "path of the file"),
    cachedColumn(2, "kind", text, "file kind: nsys sqlite, kineto json ..."),
    cachedColumn(3, "producer", text, "program that wrote the file, with its version"),
    cachedColumn(4, "host", text, "host name"),
    cachedColumn(5, "role", text, "actor, rollout, ref, critic, reward ..."),
    cachedColumn(6, "rank", integer, "rank in the job (zero-based)"),
    cachedColumn(7, "step", integer, "training step of the report"),
    cachedColumn(8, "start_ns", integer, "first timestamp on the aligned axis", "ns", SqlKey::none,
                 ColumnMeaning::alignedTime),
    cachedColumn(9, "end_ns", integer, "last timestamp on the aligned axis", "ns", SqlKey::none,
                 ColumnMeaning::alignedTime),
    cachedColumn(10, "slices", integer, "number of rows in slice"),
    cachedColumn(11, "links", integer, "number of rows in link"),
    cachedColumn(12, "samples", integer, "number of rows in counter"),
    cachedColumn(13, "file_bytes", integer, "file size", "bytes"),
    cachedColumn(14, "losses", integer, "number of import notes about lost data"),
};

SqlCachedRows reportRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        const Identity& identity = scene.shown().identity(key);
        const TimeRange extent = scene.scene().alignment.map(key).alignedFromTrace(report.extent);
        const bool hasTime = !report.extent.isEmpty();
        const auto losses = std::ranges::count_if(report.notes.all(), [](const ImportNote& note) {
            return note.severity == NoteSeverity::dataLoss;
        });
        cached.ids.push_back(int64_t(key.value));
        cached.rows.push_back(
            {sqlCount(key.value), SqlValue::of(scene.keep(report.provenance.path.string())),
             SqlValue::ofNonEmpty(report.provenance.kind), SqlValue::ofNonEmpty(report.provenance.producer),
             sqlKnown(identity.host.value), sqlKnown(identity.role.value), sqlKnown(identity.rank.value),
             sqlKnown(identity.step.value), hasTime ? SqlValue::of(extent.begin.ns) : SqlValue::none(),
             hasTime ? SqlValue::of(extent.end.ns) : SqlValue::none(), sqlCount(report.slices.size()),
             sqlCount(report.links.size()), sqlCount(report.counters.size()),
             sqlCount(report.provenance.size_bytes), SqlValue::of(int64_t(losses))});
    }
    return cached;
}

constexpr std::array kProcessColumns{
    cachedColumn(0, "id", integer, "process id, unique across all reports", "", SqlKey::id),
    cachedColumn(1, "report", integer, "report.id"),
    cachedColumn(2, "pid", integer, "pid on the host; negative for pseudo processes"),
    cachedColumn(3, "name", text, "program name"),
    cachedColumn(4, "host", text, "host name"),
    cachedColumn(5, "role", text, "actor, rollout, ref, critic, reward ..."),
    cachedColumn(6, "rank", integer, "rank in the job (zero-based)"),
    cachedColumn(7, "local_rank", integer, "rank on its host (zero-based)"),
    cachedColumn(8, "step", integer, "training step of the report"),
    cachedColumn(9, "run", text, "run name"),
    cachedColumn(10, "replica", integer, "replica of the rollout engine (zero-based)"),
};

SqlCachedRows processRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.processes.size(); ++i) {
            const Identity& identity = scene.shown().identity(key, ProcessId(i));
            cached.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            cached.rows.push_back(
                {SqlValue::of(cached.ids.back()), sqlCount(key.value), SqlValue::of(report.processes[i].pid),
                 SqlValue::ofNonEmpty(report.strings.at(report.processes[i].name)),
                 sqlKnown(identity.host.value), sqlKnown(identity.role.value), sqlKnown(identity.rank.value),
                 sqlKnown(identity.localRank.value), sqlKnown(identity.step.value),
                 sqlKnown(identity.run.value), sqlKnown(identity.replica.value)});
        }
    }
    return cached;
}

constexpr std::array kThreadColumns{
    cachedColumn(0, "id", integer, "thread id, unique across all reports", "", SqlKey::id),
    cachedColumn(1, "report", integer, "report.id"),
    cachedColumn(2, "process", integer, "process.id"),
    cachedColumn(3, "tid", integer, "tid on the host"),
    cachedColumn(4, "name", text, "name as recorded in the file"),
};

SqlCachedRows threadRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.threads.size(); ++i) {
            cached.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            cached.rows.push_back({SqlValue::of(cached.ids.back()), sqlCount(key.value),
                                   sqlIdValue(key, report.threads[i].process),
                                   SqlValue::of(report.threads[i].tid),
                                   SqlValue::ofNonEmpty(report.strings.at(report.threads[i].name))});
        }
    }
    return cached;
}

constexpr std::array kDeviceColumns{
    cachedColumn(0, "id", integer, "device id, unique across all reports", "", SqlKey::id),
    cachedColumn(1, "report", integer, "report.id"),
    cachedColumn(2, "process", integer,
                 "process.id of the process that uses this ordinal; NULL if it is machine-wide"),
    cachedColumn(3, "ordinal", integer, "CUDA ordinal in that process"),
    cachedColumn(4, "name", text, "NVIDIA H100 80GB HBM3 ..."),
    cachedColumn(5, "uuid", text, "device UUID, if recorded"),
    cachedColumn(6, "memory_bytes", integer, "memory size", "bytes"),
    cachedColumn(7, "multiprocessors", integer, "number of SMs"),
};

SqlCachedRows deviceRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.devices.size(); ++i) {
            const Device& device = report.devices[i];
            cached.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            cached.rows.push_back({SqlValue::of(cached.ids.back()), sqlCount(key.value),
                                   sqlIdValue(key, device.process), SqlValue::of(int64_t(device.ordinal)),
                                   SqlValue::ofNonEmpty(report.strings.at(device.name)),
                                   SqlValue::ofNonEmpty(report.strings.at(device.uuid)),
                                   device.memory_bytes > 0 ? sqlCount(device.memory_bytes) : SqlValue::none(),
                                   device.multiprocessors > 0 ? SqlValue::of(int64_t(device.multiprocessors))
                                                              : SqlValue::none()});
        }
    }
    return cached;
}
} // namespace

std::span<const SqlTable> ownerSqlTables()
{
    static constexpr std::array<SqlTable, 4> kTables{{
        {"report", "opened reports", kReportColumns, openCached<reportRows>, countReports},
        {"process", "processes of the reports, with their identities", kProcessColumns,
         openCached<processRows>, countReports},
        {"thread", "threads of the processes", kThreadColumns, openCached<threadRows>, countReports},
        {"device", "GPUs and NPUs", kDeviceColumns, openCached<deviceRows>, countReports},
    }};
    return kTables;
}

} // namespace lockstep
