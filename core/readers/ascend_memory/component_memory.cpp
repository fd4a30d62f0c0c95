// SPDX-License-Identifier: Apache-2.0
#include "core/readers/ascend_memory/component_memory.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/memory_levels.h"

namespace lockstep {

namespace {

constexpr int64_t kMegabyte_bytes = 1024 * 1024;
constexpr uint64_t kLinesBetweenChecks = 4096;

struct ComponentTotal {
    int64_t time_ns = 0;
    int64_t allocated_bytes = 0;
    int64_t reserved_bytes = kNotRecorded;
};

using ComponentKey = std::pair<int32_t, std::string>; // (ordinal, component)

// Returns true for components that include other components. If they were shown as areas, their memory would
// count twice.
bool isSum(const std::string& component)
{
    return component.find('+') != std::string::npos || component == "APP";
}

void addTotals(const std::map<ComponentKey, std::vector<ComponentTotal>>& all, ProcessId process,
               ReportBuilder& builder)
{
    for (const auto& [key, totals] : all) {
        CounterTrack track;
        track.process = process;
        track.unit = builder.intern("B");
        std::vector<std::pair<int64_t, double>> allocated, reserved;
        for (const ComponentTotal& total : totals) {
            allocated.emplace_back(total.time_ns, static_cast<double>(total.allocated_bytes));
            if (total.reserved_bytes != kNotRecorded)
                reserved.emplace_back(total.time_ns, static_cast<double>(total.reserved_bytes));
        }
        track.name = builder.intern(key.second + " Total Allocated");
        builder.addSamples(builder.addCounterTrack(track), std::move(allocated));
        if (reserved.empty()) continue;
        track.name = builder.intern(key.second + " Total Reserved");
        builder.addSamples(builder.addCounterTrack(track), std::move(reserved));
    }
}

// Adds areas. Totals with the same timestamp change one after another. The reserved memory is PTA's total, or
// the first total recorded.
void addComponentAreas(std::map<ComponentKey, std::vector<ComponentTotal>>& all, ProcessId process,
                       ReportBuilder& builder, MemoryHistory& history)
{
    MemoryLevelHistory levels(history, builder.report());
    for (auto& [key, totals] : all) {
        const auto& [ordinal, component] = key;
        if (isSum(component)) {
            builder.report().notes.add(
                "memory.component_sum", NoteSeverity::info,
                "the total of this component includes other components: shown as a counter, not as an area",
                component);
            continue;
        }
        const bool holds = component == "PTA" || !all.contains({ordinal, "PTA"});
        if (ordinal >= 0) builder.device(process, ordinal);
        const uint32_t subject =
            history.subject({MemoryRecorder::components, MemoryKind::device, ordinal, process});
        const size_t group = levels.group(subject, builder.intern(component + " (component)"));
        for (const ComponentTotal& total : totals) {
            if (holds) levels.setReserved(group, total.reserved_bytes);
            levels.set(group, total.time_ns, total.allocated_bytes);
        }
    }
}

} // namespace

Status fillFromComponents(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                          const Progress& progress)
{
    const auto component = lines.column("Component"), time = lines.column("Timestamp(us)"),
               allocated = lines.column("Total Allocated(MB)"), reserved = lines.column("Total Reserved(MB)"),
               device = lines.column("Device Type");
    std::map<ComponentKey, std::vector<ComponentTotal>> all;
    uint64_t count = 0;
    while (lines.next()) {
        if (lines.line() % kLinesBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        noteBrokenLine(lines, builder.report().notes);
        const auto time_ns = ascendTime_ns(lines.cell(*time));
        const auto level =
            allocated ? ascendSize_bytes(lines.cell(*allocated), kMegabyte_bytes) : std::nullopt;
        const auto held = reserved ? ascendSize_bytes(lines.cell(*reserved), kMegabyte_bytes) : std::nullopt;
        if (!time_ns || (!level && !held)) {
            builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                       "rows without a required field: skipped",
                                       "line " + std::to_string(lines.line()));
            continue;
        }
        ++count;
        const int32_t ordinal = device ? ascendOrdinal(lines.cell(*device)) : -1;
        all[{ordinal, std::string(lines.cell(*component))}].push_back(
            {*time_ns, level.value_or(0), held.value_or(kNotRecorded)});
    }
    for (auto& [key, totals] : all)
        std::ranges::stable_sort(totals, {}, &ComponentTotal::time_ns);
    builder.report().rowCounts.emplace_back("total", count);
    MemoryHistory history(builder.report());
    addComponentAreas(all, process, builder, history);
    addTotals(all, process, builder);
    return history.finish(progress);
}

} // namespace lockstep
