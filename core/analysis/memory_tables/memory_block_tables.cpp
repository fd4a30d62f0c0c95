// SPDX-License-Identifier: Apache-2.0
// The memory analyses that list blocks by stack: memory_peak, memory_leaks and memory_diff.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/memory_tables/memory_selection.h"
#include "core/memory/allocations.h"
#include "core/memory/leaks.h"
#include "core/memory/snapshot_difference.h"

namespace lockstep {

namespace {

constexpr std::string_view kMemoryPeakTitle = "Peak GPU memory by stack";
constexpr size_t kMaxWhatIfs = 10; // maximum number per device, because each costs a pass over the history

class MemoryPeakRows {
  public:
    MemoryPeakRows(const AnalysisRequest& request, MemorySelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto text = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::text, 0, doc});
        };
        m_time = table.addColumn(
            {"peak_time", "ns", ColumnType::time, 0,
             "time of the highest active memory, aligned axis; empty if the snapshot has no timestamps",
             ColumnMeaning::alignedTime});
        m_share = table.addColumn(
            {"peak_share", "%", ColumnType::percent, 1, "share of all active memory at the peak"});
        m_bytes = bytes("peak_bytes", "memory active at the peak");
        m_blocks = table.addColumn({"peak_blocks", "", ColumnType::integer, 0, "blocks active at the peak"});
        m_most = bytes("own_peak", "the stack's own highest active memory");
        m_all =
            table.addColumn({"allocations", "", ColumnType::integer, 0, "allocations in the whole history"});
        m_requested = bytes("requested", "sum of the requested sizes of all allocations in the history");
        m_without = bytes("peak_without", "peak without the stack's blocks, all else unchanged; for the ten "
                                          "largest stacks of a device");
        m_category = text("category", "category guessed from the stack");
        m_stack = text("stack", kStackDoc);
    }

    void add(const MemoryPart& part)
    {
        const DeviceReplay& device = *part.device;
        const MemoryPeak peak = device.activePeakIn(part.first, part.last);
        std::map<MemoryStackId, StackUse> uses;
        for (const StackUse& use : stackUses(device))
            uses[use.stack] = use;
        const auto categories = stackCategories(*part.report->memory, part.report->strings);
        size_t whatIfs = 0;
        for (const StackLevel& level : stackLevels(device, peak.moment)) {
            if (!m_selection.isInScope(part, level.stack)) continue;
            m_selection.addRow(part);
            if (const auto time_ns = part.alignedTime(m_request.alignment, peak.moment))
                m_table.setNumber(m_time, *time_ns);
            m_table.setNumber(m_share,
                              roundedQuotient(__int128(level.size_bytes) * 1000, peak.levels.active));
            m_table.setNumber(m_bytes, level.size_bytes);
            if (part.recording().hasBlocks) {
                m_table.setNumber(m_blocks, static_cast<int64_t>(level.blocks));
                m_table.setNumber(m_all, static_cast<int64_t>(uses[level.stack].blocks));
            }
            m_table.setNumber(m_most, uses[level.stack].most_bytes);
            if (part.recording().hasRequested)
                m_table.setNumber(m_requested, static_cast<int64_t>(uses[level.stack].requested_bytes));
            if (level.stack.isValid() && whatIfs++ < kMaxWhatIfs) {
                std::vector<bool> without(part.report->memory->stackCount());
                without[level.stack.value] = true;
                m_table.setNumber(m_without, peakWithout(device, without).levels.active);
            }
            m_table.setText(m_category, memoryCategoryName(categoryOf(categories, level.stack)));
            m_table.setText(m_stack, MemorySelection::stackName(part, level.stack));
        }
    }

  private:
    const AnalysisRequest& m_request;
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_time, m_share, m_bytes, m_blocks, m_most, m_all, m_requested, m_without, m_category, m_stack;
};

Result<Table> memoryPeakTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryPeakTitle)};
    MemorySelection selection(request, table, true);
    MemoryPeakRows rows(request, selection, table);
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        rows.add(part);
        return progress.check();
    }));
    selection.describe("stacks with active memory at the peak of their device");
    return table;
}

} // namespace

// The `memory_peak` analysis: the stacks that hold memory when the active memory of a device peaks, and the
// peak that would remain without each of the largest stacks.
Analysis memoryPeakAnalysis()
{
    return {"memory_peak", kMemoryPeakTitle, "memory snapshots", {}, memoryPeakTable};
}

namespace {

constexpr std::string_view kMemoryLeaksTitle = "Unfreed GPU memory by stack";
constexpr std::string_view kStepWord = "step"; // string that occurs in the names of the user's annotations
constexpr AnalysisArgument kLeakThreshold{
    "threshold", "leak threshold: growth in 10^6 bytes per step", ArgumentType::number, "1", "MB", 0, 1e9};
constexpr AnalysisArgument kLeakSteps{
    "steps", "minimum number of steps for a result", ArgumentType::whole, "10", "", 2, 1e6};
constexpr std::array kMemoryLeaksArguments{kLeakThreshold, kLeakSteps};
constexpr size_t kMaxGrowing = 100'000;

struct LeakSuspect {
    MemoryStackId stack;
    UnfreedStack unfreed;
    GrowingStack growing; // there is no growth if growth_bytes is 0
};

std::vector<LeakSuspect> suspectsOf(const DeviceReplay& device,
                                    std::pair<MemoryMoment, MemoryMoment> allocatedIn,
                                    const std::vector<MemoryMoment>& steps, const TrendRule& rule)
{
    std::map<MemoryStackId, LeakSuspect> byStack;
    for (const UnfreedStack& unfreed : unfreedStacks(device, allocatedIn))
        byStack[unfreed.stack].unfreed = unfreed;
    for (GrowingStack& growing : growingStacks(device, steps, 0, rule, kMaxGrowing)) {
        const MemoryStackId stack = growing.stack;
        byStack[stack].growing = std::move(growing);
    }
    std::vector<LeakSuspect> out;
    for (auto& [stack, suspect] : byStack) {
        suspect.stack = stack;
        out.push_back(std::move(suspect));
    }
    std::ranges::stable_sort(out, [](const LeakSuspect& a, const LeakSuspect& b) {
        return std::tuple(a.growing.growth_bytes, a.unfreed.size_bytes) >
               std::tuple(b.growing.growth_bytes, b.unfreed.size_bytes);
    });
    return out;
}

class MemoryLeaksRows {
  public:
    MemoryLeaksRows(const AnalysisRequest& request, MemorySelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::integer, 0, doc});
        };
        const auto time = [&](const char* name, const char* doc) {
            return table.addColumn({name, "ns", ColumnType::time, 0, doc, ColumnMeaning::alignedTime});
        };
        const auto text = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::text, 0, doc});
        };
        m_unfreed = bytes("unfreed", "memory allocated in scope and never freed");
        m_blocks = count("unfreed_blocks", "number of blocks allocated in scope and never freed");
        table.markSums({"unfreed", "unfreed_blocks"});
        m_severity = table.addColumn(
            {"severity", "", ColumnType::text, 0,
             "severity by unfreed memory: low, medium above 10 MB, high above 100 MB (10^6 bytes)",
             ColumnMeaning::severity});
        m_first = time("first_allocated", "time of the first allocation that was never freed, aligned axis");
        m_last = time("last_allocated", "time of the last allocation that was never freed, aligned axis");
        m_steps = count("steps", "points at which growth is measured: ends of annotations named as steps");
        m_growth = bytes(
            "growth",
            "growth from the first to the last point at which growth is measured; empty if there is none");
        m_rises = count("rises", "number of times that memory rose from one point to the next");
        m_slope = bytes("growth_per_step", "slope of the least-squares line over the steps");
        m_error = bytes("growth_per_step_error", "standard error of the slope");
        m_isLeak = text("trend", "leak: at least `steps` steps, and a slope above `threshold`");
        m_stack = text("stack", kStackDoc);
    }

    void add(const MemoryPart& part)
    {
        std::vector<MemoryMoment> steps = stepMoments(*part.report, *part.device, kStepWord);
        std::erase_if(steps, [&](MemoryMoment at) { return at < part.first || at > part.last; });
        for (const LeakSuspect& suspect :
             suspectsOf(*part.device, {part.first + 1, part.last + 1}, steps, m_rule)) {
            if (m_selection.isInScope(part, suspect.stack)) addRow(part, suspect, steps.size());
        }
        std::vector<int64_t> allocated;
        for (const MemoryMoment step : steps)
            allocated.push_back(part.device->levelsAt(step).allocated);
        tellTrend(part, memoryTrend(allocated, m_rule));
    }

  private:
    void addRow(const MemoryPart& part, const LeakSuspect& suspect, size_t steps)
    {
        const auto setTime = [&](size_t column, MemoryMoment moment) {
            if (const auto time_ns = part.alignedTime(m_request.alignment, moment))
                m_table.setNumber(column, *time_ns);
        };
        m_selection.addRow(part);
        m_table.setNumber(m_unfreed, suspect.unfreed.size_bytes);
        m_table.setNumber(m_blocks, static_cast<int64_t>(suspect.unfreed.blocks));
        m_table.setText(m_severity, leakSeverityName(leakSeverity(suspect.unfreed.size_bytes)));
        if (suspect.unfreed.blocks > 0) {
            setTime(m_first, suspect.unfreed.firstAllocated);
            setTime(m_last, suspect.unfreed.lastAllocated);
        }
        m_table.setNumber(m_steps, static_cast<int64_t>(steps));
        if (suspect.growing.growth_bytes > 0) {
            const MemoryTrend& trend = suspect.growing.trend;
            m_table.setNumber(m_growth, suspect.growing.growth_bytes);
            m_table.setNumber(m_rises, suspect.growing.rises);
            m_table.setNumber(m_slope, std::llround(trend.slope_gbPerStep * 1e9));
            m_table.setNumber(m_error, std::llround(trend.slopeError_gbPerStep * 1e9));
            m_table.setText(m_isLeak, trend.isLeak             ? "leak"
                                      : trend.hasEnoughSamples ? "no leak"
                                                               : "too few steps");
        }
        m_table.setText(m_stack, MemorySelection::stackName(part, suspect.stack));
    }

    void tellTrend(const MemoryPart& part, const MemoryTrend& trend)
    {
        const std::string where =
            part.report->provenance.path.string() + ", device " + std::to_string(part.device->device);
        if (trend.samples == 0) {
            m_table.source.rules.push_back(where + ": no annotation marks a step; growth is not measured");
            return;
        }
        m_table.source.rules.push_back(
            where + ": allocated memory over " + std::to_string(trend.samples) + " steps grows by " +
            std::to_string(std::llround(trend.slope_gbPerStep * 1e9)) + " B per step, \u00B1 " +
            std::to_string(std::llround(trend.slopeError_gbPerStep * 1e9)) + ": " +
            (!trend.hasEnoughSamples ? "too few steps for a result"
             : trend.isLeak          ? "a leak"
                                     : "no leak"));
    }

    const AnalysisRequest& m_request;
    const TrendRule m_rule{static_cast<size_t>(m_request.arguments.whole(kLeakSteps.name)),
                           m_request.arguments.number(kLeakThreshold.name) /
                               1000}; // conversion from MB to GB
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_unfreed, m_blocks, m_severity, m_first, m_last, m_steps, m_growth, m_rises, m_slope, m_error,
        m_isLeak, m_stack;
};

Result<Table> memoryLeaksTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryLeaksTitle)};
    MemorySelection selection(request, table, true);
    MemoryLeaksRows rows(request, selection, table);
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        rows.add(part);
        return progress.check();
    }));
    selection.describe("stacks with blocks that are never freed, or with memory that grows over steps");
    table.source.rules.push_back(
        "a leak suspect is not proof of a leak: recent allocations may be freed later");
    return table;
}

} // namespace

// The `memory_leaks` analysis: stacks whose blocks are never freed or whose memory grows from step to step,
// using the trend test from the NeMo RL profiling guide.
Analysis memoryLeaksAnalysis()
{
    return {"memory_leaks", kMemoryLeaksTitle, "memory snapshots", kMemoryLeaksArguments, memoryLeaksTable};
}

namespace {

constexpr std::string_view kMemoryDiffTitle = "Growth of GPU memory by stack";

MemoryView viewOf(const MemoryPart& part, MemoryMoment moment)
{
    return {*part.device, *part.report->memory, part.report->strings, moment};
}

class MemoryDiffRows {
  public:
    MemoryDiffRows(MemorySelection& selection, Table& table) : m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::integer, 0, doc});
        };
        m_change = bytes("change", "after minus before");
        m_before = bytes("before", "active bytes before");
        m_after = bytes("after", "active bytes after");
        m_blocksBefore = count("blocks_before", "active blocks before");
        m_blocksAfter = count("blocks_after", "active blocks after");
        m_stack = table.addColumn({"stack", "", ColumnType::text, 0, kStackDoc});
    }

    // Compares the ends of both parts within the scope. If there is only one part, compares its start with
    // its end.
    void add(const MemoryPart& first, const MemoryPart& last)
    {
        const bool isOne = first.device == last.device;
        const MemoryView before = viewOf(first, isOne ? first.first : first.last);
        const MemoryView after = viewOf(last, last.last);
        for (const StackChange& change : snapshotDifference(before, after).stacks) {
            const bool isOfLast = change.afterBlocks > 0;
            const MemoryPart& part = isOfLast ? last : first;
            const MemoryStackId stack = isOfLast ? change.after : change.before;
            if (!m_selection.isInScope(part, stack)) continue;
            m_selection.addRow(part);
            m_table.setNumber(m_change, change.change_bytes());
            m_table.setNumber(m_before, change.before_bytes);
            m_table.setNumber(m_after, change.after_bytes);
            m_table.setNumber(m_blocksBefore, static_cast<int64_t>(change.beforeBlocks));
            m_table.setNumber(m_blocksAfter, static_cast<int64_t>(change.afterBlocks));
            m_table.setText(m_stack, MemorySelection::stackName(part, stack));
        }
        const auto nameOf = [](const MemoryPart& part, MemoryMoment moment) {
            return part.report->provenance.path.string() + ", device " + std::to_string(part.device->device) +
                   ", after entry " + std::to_string(moment);
        };
        m_table.source.rules.push_back("before: " + nameOf(first, before.moment));
        m_table.source.rules.push_back("after: " + nameOf(last, after.moment));
    }

  private:
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_change, m_before, m_after, m_blocksBefore, m_blocksAfter, m_stack;
};

Result<Table> memoryDiffTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryDiffTitle)};
    MemorySelection selection(request, table, true);
    MemoryDiffRows rows(selection, table);
    std::optional<MemoryPart> first, last;
    size_t parts = 0;
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        if (!first) first = part;
        last = part;
        ++parts;
        return progress.check();
    }));
    if (first) rows.add(*first, *last);
    selection.describe("stacks with active memory in the first or the last device in scope");
    if (parts > 2) {
        table.source.rules.push_back(std::to_string(parts) +
                                     " devices are in scope; the first and the last of them are compared");
    }
    table.source.rules.push_back("stacks of two files match if file, function and line of every frame match");
    return table;
}

} // namespace

// The `memory_diff` analysis: memory growth by stack, between the first and the last memory snapshot in
// scope. If there is only one snapshot, shows the growth between its start and its end.
Analysis memoryDiffAnalysis()
{
    return {"memory_diff", kMemoryDiffTitle, "memory snapshots", {}, memoryDiffTable};
}

} // namespace lockstep
