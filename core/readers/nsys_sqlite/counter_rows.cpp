// SPDX-License-Identifier: Apache-2.0
// Reads sampled and summed values: GPU metrics, and the memory of a process on a GPU.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

bool isTimestamp(std::optional<int64_t> time)
{
    return time && isPlausible(*time, 0);
}

void noteBadTime(TableScan& scan)
{
    scan.note("counter.bad_time", NoteSeverity::dataLoss, "samples without a time: not shown");
}

// Adds up one (process, device, kind). Frees of memory that was allocated before the capture are omitted, so
// the curve starts at 0 and is never negative.
void addUsage(TableScan& scan, std::span<const DriverMemoryEvent> events)
{
    std::map<int64_t, int64_t> live_bytes; // address -> bytes
    int64_t total = 0;
    CounterRun run;
    run.globalPid = events.front().globalPid;
    run.device = events.front().device;
    const std::string_view kind = memoryKindName(static_cast<MemoryKind>(events.front().kind));
    run.name = "Allocated memory, " + std::string(kind) + " [B]";
    for (const DriverMemoryEvent& event : events) {
        if (!event.isRelease) {
            total += event.size_bytes - std::exchange(live_bytes[event.address], event.size_bytes);
        } else if (const auto found = live_bytes.find(event.address); found != live_bytes.end()) {
            total -= found->second;
            live_bytes.erase(found);
        } else {
            scan.result().notes.add(
                "memory_usage.unknown_release", NoteSeverity::info,
                "releases of memory allocated before the capture: not included in the memory curve",
                "CUDA_GPU_MEMORY_USAGE_EVENTS row " + std::to_string(event.row));
            continue;
        }
        run.samples.push_back({event.time_ns, static_cast<double>(total)});
    }
    scan.result().findings.counters.push_back(std::move(run));
}

} // namespace

void readGpuMetrics(TableScan& scan)
{
    enum : int { kTime, kType, kMetric, kValue };
    std::map<std::pair<uint64_t, int64_t>, CounterRun> runs;
    while (scan.next()) {
        scan.count(CountedRows::gpuMetric);
        const auto time = scan.optionalInteger(kTime);
        if (!isTimestamp(time)) {
            noteBadTime(scan);
            continue;
        }
        CounterRun& run = runs[{scan.globalId(kType), scan.integer(kMetric)}];
        run.samples.push_back({*time, scan.real(kValue)});
    }
    for (auto& [key, run] : runs) {
        std::tie(run.typeId, run.metric) = key;
        run.device = gpuOfTypeId(run.typeId);
        scan.result().findings.counters.push_back(std::move(run));
    }
}

void readMemoryUsage(TableScan& scan)
{
    enum : int { kTime, kGlobalPid, kDevice, kAddress, kBytes, kKind, kOperation, kCorrelation };
    std::vector<DriverMemoryEvent> events;
    while (scan.next()) {
        scan.count(CountedRows::memoryUsage);
        const auto time = scan.optionalInteger(kTime);
        if (!isTimestamp(time)) {
            noteBadTime(scan);
            continue;
        }
        const int64_t unknown = static_cast<int64_t>(MemoryKind::unknown);
        const int64_t kind = scan.optionalInteger(kKind).value_or(unknown);
        events.push_back({scan.globalId(kGlobalPid), scan.integer(kDevice),
                          kind >= 0 && kind <= unknown ? kind : unknown, *time, scan.integer(kAddress),
                          std::clamp<int64_t>(scan.integer(kBytes), 0, int64_t(1) << 44), scan.rowId(),
                          scan.correlation(kCorrelation), scan.integer(kOperation) == 1});
    }
    const auto group = [](const DriverMemoryEvent& e) { return std::tuple(e.globalPid, e.device, e.kind); };
    std::ranges::sort(events, {},
                      [&](const DriverMemoryEvent& e) { return std::tuple(group(e), e.time_ns, e.row); });
    for (auto first = events.begin(); first != events.end();) {
        const auto last =
            std::upper_bound(first, events.end(), group(*first),
                             [&](const auto& wanted, const auto& e) { return wanted < group(e); });
        addUsage(scan, {first, last});
        first = last;
    }
    scan.result().findings.memory = std::move(events);
}

} // namespace lockstep
