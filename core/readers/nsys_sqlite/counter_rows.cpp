// Sampled and summed values: GPU metrics in both layouts, and the memory a process holds on a GPU.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

bool isStamp(std::optional<int64_t> time)
{
    return time && isPlausible(*time, 0);
}

void noteBadTime(TableScan& scan)
{
    scan.note("counter.bad_time", NoteSeverity::dataLoss, "samples without a time; they are not shown");
}

struct MemoryEvent {
    uint64_t globalPid = 0;
    int64_t device = 0;
    int64_t kind = 0;
    int64_t time_ns = 0;
    int64_t address = 0;
    int64_t size_bytes = 0;
    int64_t row = 0;
    bool isRelease = false;
};

// Sums up one (process, device, kind). Releases of memory that was got before the capture are left out: the curve
// starts at 0 and never falls below it.
void addUsage(TableScan& scan, std::span<const MemoryEvent> events)
{
    std::map<int64_t, int64_t> held; // address -> bytes
    int64_t total = 0;
    CounterRun run;
    run.globalPid = events.front().globalPid;
    run.device = events.front().device;
    const std::string_view kind = memoryKindName(static_cast<MemoryKind>(events.front().kind));
    run.name = "Allocated memory, " + std::string(kind) + " [B]";
    for (const MemoryEvent& event : events) {
        if (!event.isRelease) {
            total += event.size_bytes - std::exchange(held[event.address], event.size_bytes);
        } else if (const auto found = held.find(event.address); found != held.end()) {
            total -= found->second;
            held.erase(found);
        } else {
            scan.notes().add("memory_usage.unknown_release", NoteSeverity::info,
                             "releases of memory that was allocated before the capture; not in the memory curve",
                             "CUDA_GPU_MEMORY_USAGE_EVENTS row " + std::to_string(event.row));
            continue;
        }
        run.samples.push_back({event.time_ns, static_cast<double>(total)});
    }
    scan.findings().counters.push_back(std::move(run));
}

// Fields of a flat JSON object that are numbers, or texts that are numbers.
template<class Take>
bool eachNumber(simdjson::dom::parser& parser, std::string_view json, Take take)
{
    simdjson::dom::object object;
    if (parser.parse(json.data(), json.size()).get(object) != simdjson::SUCCESS) return false;
    bool any = false;
    for (const auto field : object) {
        double number = 0;
        std::string_view text;
        if (field.value.get(number) != simdjson::SUCCESS) {
            if (field.value.get(text) != simdjson::SUCCESS) continue;
            const auto parsed = parseDouble(text);
            if (!parsed) continue;
            number = *parsed;
        }
        take(field.key, number);
        any = true;
    }
    return any;
}

} // namespace

void readGpuMetrics(TableScan& scan)
{
    enum : int { kTime, kType, kMetric, kValue };
    std::map<std::pair<uint64_t, int64_t>, CounterRun> runs;
    while (scan.next()) {
        scan.count(CountedRows::gpuMetric);
        const auto time = scan.optionalInteger(kTime);
        if (!isStamp(time)) {
            noteBadTime(scan);
            continue;
        }
        CounterRun& run = runs[{scan.globalId(kType), scan.integer(kMetric)}];
        run.samples.push_back({*time, scan.real(kValue)});
    }
    for (auto& [key, run] : runs) {
        std::tie(run.typeId, run.metric) = key;
        run.device = gpuOfTypeId(run.typeId);
        scan.findings().counters.push_back(std::move(run));
    }
}

void readMemoryUsage(TableScan& scan)
{
    enum : int { kTime, kGlobalPid, kDevice, kAddress, kBytes, kKind, kOperation };
    std::vector<MemoryEvent> events;
    while (scan.next()) {
        scan.count(CountedRows::memoryUsage);
        const auto time = scan.optionalInteger(kTime);
        if (!isStamp(time)) {
            noteBadTime(scan);
            continue;
        }
        const int64_t unknown = static_cast<int64_t>(MemoryKind::unknown);
        const int64_t kind = scan.optionalInteger(kKind).value_or(unknown);
        events.push_back({scan.globalId(kGlobalPid), scan.integer(kDevice),
                          kind >= 0 && kind <= unknown ? kind : unknown, *time, scan.integer(kAddress),
                          std::clamp<int64_t>(scan.integer(kBytes), 0, int64_t(1) << 44), scan.rowId(),
                          scan.integer(kOperation) == 1});
    }
    const auto group = [](const MemoryEvent& e) { return std::tuple(e.globalPid, e.device, e.kind); };
    std::ranges::sort(events, {}, [&](const MemoryEvent& e) { return std::tuple(group(e), e.time_ns, e.row); });
    for (auto first = events.begin(); first != events.end();) {
        const auto last = std::upper_bound(first, events.end(), group(*first),
                                           [&](const auto& wanted, const auto& e) { return wanted < group(e); });
        addUsage(scan, {first, last});
        first = last;
    }
}

// Up to about 2023 GPU metrics are JSON objects {"SM Active": "12", ...}. Events of other generic sources are counted.
void readGenericEvents(TableScan& scan)
{
    enum : int { kTime, kType, kJson };
    std::map<std::pair<uint64_t, std::string>, CounterRun> runs;
    simdjson::dom::parser parser;
    while (scan.next()) {
        scan.count(CountedRows::genericEvent);
        const auto time = scan.optionalInteger(kTime);
        const uint64_t type = scan.globalId(kType);
        const auto take = [&](std::string_view key, double value) {
            runs[{type, std::string(key)}].samples.push_back({*time, value});
        };
        if (!isStamp(time)) {
            noteBadTime(scan);
        } else if (!eachNumber(parser, scan.storedText(kJson), take)) {
            scan.note("generic_event.counted_only", NoteSeverity::warning,
                      "generic events without numbers in a JSON object; they are counted, not drawn");
        }
    }
    for (auto& [key, run] : runs) {
        run.typeId = key.first;
        run.device = gpuOfTypeId(run.typeId);
        run.name = shownText(key.second, scan.notes(), "GENERIC_EVENTS", 0);
        scan.findings().counters.push_back(std::move(run));
    }
}

} // namespace lockstep
