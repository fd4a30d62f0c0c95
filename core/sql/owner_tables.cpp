// SPDX-License-Identifier: Apache-2.0
// The report, process, thread and device tables.
#include <array>

#include "core/sql/held_rows.h"

namespace lockstep {

namespace {

using enum SqlType;

double countReports(const SqlScene& scene)
{
    return static_cast<double>(scene.shown().size());
}

constexpr std::array kReportColumns{
    heldColumn(0, "id", integer, "report id, valid while the report is open", "", SqlKey::id),
    heldColumn(1, "path", text, "path of the file"),
    heldColumn(2, "kind", text, "file kind: nsys sqlite, kineto json ..."),
    heldColumn(3, "producer", text, "program that wrote the file, with its version"),
    heldColumn(4, "host", text, "host name"),
    heldColumn(5, "role", text, "actor, rollout, ref, critic, reward ..."),
    heldColumn(6, "rank", integer, "rank in the job (zero-based)"),
    heldColumn(7, "step", integer, "training step of the report"),
    heldColumn(8, "start_ns", integer, "first timestamp on the aligned axis", "ns"),
    heldColumn(9, "end_ns", integer, "last timestamp on the aligned axis", "ns"),
    heldColumn(10, "slices", integer, "number of rows in slice"),
    heldColumn(11, "links", integer, "number of rows in link"),
    heldColumn(12, "samples", integer, "number of rows in counter"),
    heldColumn(13, "file_bytes", integer, "file size", "bytes"),
    heldColumn(14, "losses", integer, "number of import notes about lost data"),
};

SqlHeldRows reportRows(const SqlScene& scene)
{
    SqlHeldRows held;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        const Identity& who = scene.shown().identity(key);
        const TimeRange extent = scene.scene().alignment.map(key).alignedFromTrace(report.extent);
        const bool hasTime = !report.extent.isEmpty();
        const auto losses = std::ranges::count_if(report.notes.all(), [](const ImportNote& note) {
            return note.severity == NoteSeverity::dataLoss;
        });
        held.ids.push_back(int64_t(key.value));
        held.rows.push_back(
            {sqlCount(key.value), SqlValue::of(scene.keep(report.provenance.path.string())),
             SqlValue::said(report.provenance.kind), SqlValue::said(report.provenance.producer),
             sqlKnown(who.host.value), sqlKnown(who.role.value), sqlKnown(who.rank.value),
             sqlKnown(who.step.value), hasTime ? SqlValue::of(extent.begin.ns) : SqlValue::none(),
             hasTime ? SqlValue::of(extent.end.ns) : SqlValue::none(), sqlCount(report.slices.size()),
             sqlCount(report.links.size()), sqlCount(report.counters.size()),
             sqlCount(report.provenance.size_bytes), SqlValue::of(int64_t(losses))});
    }
    return held;
}

constexpr std::array kProcessColumns{
    heldColumn(0, "id", integer, "process id, unique across all reports", "", SqlKey::id),
    heldColumn(1, "report", integer, "report.id"),
    heldColumn(2, "pid", integer, "pid on the host; negative for pseudo processes"),
    heldColumn(3, "name", text, "program name"),
    heldColumn(4, "host", text, "host name"),
    heldColumn(5, "role", text, "actor, rollout, ref, critic, reward ..."),
    heldColumn(6, "rank", integer, "rank in the job (zero-based)"),
    heldColumn(7, "local_rank", integer, "rank on its host (zero-based)"),
    heldColumn(8, "step", integer, "training step of the report"),
    heldColumn(9, "run", text, "run name"),
    heldColumn(10, "replica", integer, "replica of the rollout engine (zero-based)"),
};

SqlHeldRows processRows(const SqlScene& scene)
{
    SqlHeldRows held;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.processes.size(); ++i) {
            const Identity& who = scene.shown().identity(key, ProcessId(i));
            held.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            held.rows.push_back(
                {SqlValue::of(held.ids.back()), sqlCount(key.value), SqlValue::of(report.processes[i].pid),
                 SqlValue::said(report.strings.at(report.processes[i].name)), sqlKnown(who.host.value),
                 sqlKnown(who.role.value), sqlKnown(who.rank.value), sqlKnown(who.localRank.value),
                 sqlKnown(who.step.value), sqlKnown(who.run.value), sqlKnown(who.replica.value)});
        }
    }
    return held;
}

constexpr std::array kThreadColumns{
    heldColumn(0, "id", integer, "thread id, unique across all reports", "", SqlKey::id),
    heldColumn(1, "report", integer, "report.id"),
    heldColumn(2, "process", integer, "process.id"),
    heldColumn(3, "tid", integer, "tid on the host"),
    heldColumn(4, "name", text, "name as recorded in the file"),
};

SqlHeldRows threadRows(const SqlScene& scene)
{
    SqlHeldRows held;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.threads.size(); ++i) {
            held.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            held.rows.push_back({SqlValue::of(held.ids.back()), sqlCount(key.value),
                                 sqlIdValue(key, report.threads[i].process),
                                 SqlValue::of(report.threads[i].tid),
                                 SqlValue::said(report.strings.at(report.threads[i].name))});
        }
    }
    return held;
}

constexpr std::array kDeviceColumns{
    heldColumn(0, "id", integer, "device id, unique across all reports", "", SqlKey::id),
    heldColumn(1, "report", integer, "report.id"),
    heldColumn(2, "process", integer,
               "process.id of the process that uses this ordinal; NULL if it is machine-wide"),
    heldColumn(3, "ordinal", integer, "CUDA ordinal in that process"),
    heldColumn(4, "name", text, "NVIDIA H100 80GB HBM3 ..."),
    heldColumn(5, "uuid", text, "device UUID, if recorded"),
    heldColumn(6, "memory_bytes", integer, "memory size", "bytes"),
    heldColumn(7, "multiprocessors", integer, "number of SMs"),
};

SqlHeldRows deviceRows(const SqlScene& scene)
{
    SqlHeldRows held;
    for (const ReportKey key : scene.shown().keys()) {
        const Report& report = scene.shown().report(key);
        for (size_t i = 0; i < report.devices.size(); ++i) {
            const Device& device = report.devices[i];
            held.ids.push_back(sqlId(key, static_cast<uint32_t>(i)));
            held.rows.push_back({SqlValue::of(held.ids.back()), sqlCount(key.value),
                                 sqlIdValue(key, device.process), SqlValue::of(int64_t(device.ordinal)),
                                 SqlValue::said(report.strings.at(device.name)),
                                 SqlValue::said(report.strings.at(device.uuid)),
                                 device.memory_bytes > 0 ? sqlCount(device.memory_bytes) : SqlValue::none(),
                                 device.multiprocessors > 0 ? SqlValue::of(int64_t(device.multiprocessors))
                                                            : SqlValue::none()});
        }
    }
    return held;
}
} // namespace

std::span<const SqlTable> ownerSqlTables()
{
    static constexpr std::array<SqlTable, 4> kTables{{
        {"report", "opened reports", kReportColumns, openHeld<reportRows>, countReports},
        {"process", "processes of the reports, with their identities", kProcessColumns, openHeld<processRows>,
         countReports},
        {"thread", "threads of the processes", kThreadColumns, openHeld<threadRows>, countReports},
        {"device", "GPUs and NPUs", kDeviceColumns, openHeld<deviceRows>, countReports},
    }};
    return kTables;
}

} // namespace lockstep
