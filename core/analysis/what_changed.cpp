// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/what_changed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "core/analysis/comparison.h"
#include "core/analysis/nsys_stats/cuda_sums.h"
#include "core/analysis/training/critical_path.h"
#include "core/analysis/training/step_breakdown.h"
#include "core/analysis/training/step_statistics.h"

namespace lockstep {

namespace {

constexpr int64_t kMany = 30; // minimum number of samples for a reliable interval

ChangeConfidence confidenceOf(const ChangedRow& row)
{
    if (!row.before_ns) return ChangeConfidence::isNew;
    if (!row.after_ns) return ChangeConfidence::isGone;
    if (!row.interval) return ChangeConfidence::none;
    if (row.interval->low <= 0 && row.interval->high >= 0) return ChangeConfidence::noise;
    return std::min(row.countBefore, row.countAfter) >= kMany ? ChangeConfidence::high
                                                              : ChangeConfidence::medium;
}

void finish(ChangedRows& out)
{
    for (ChangedRow& row : out.rows)
        row.confidence = confidenceOf(row);
    std::ranges::stable_sort(out.rows, std::ranges::greater{},
                             [](const ChangedRow& row) { return std::abs(row.change_ns()); });
}

// Converts the mean of n values to a sample of their sum. The interval of this sample is the interval for the
// total of n independent values. Mean and deviation are rounded as in the table.
SampleMean totalOf(const SummaryGroup& kernel)
{
    const auto count = static_cast<double>(kernel.count());
    return {kernel.count(), static_cast<double>(kernel.statistics.average(10)) / 10 * count,
            static_cast<double>(kernel.statistics.standardDeviation(10)) / 10 * count};
}

Result<ChangedRows> changedKernels(const ChangedSide& before, const ChangedSide& after,
                                   const Progress& progress)
{
    const auto kernelsOf = [&](const ChangedSide& side) {
        Scope scope;
        scope.time = side.range;
        return kernelSums({"", ArgumentValues(), *side.scene, scope, {}}, progress);
    };
    const auto was = LOCKSTEP_TRY(kernelsOf(before)), is = LOCKSTEP_TRY(kernelsOf(after));
    ChangedRows out;
    out.rule = "total time of each kernel by its base name, clipped to the compared range";
    std::map<std::string_view, const SummaryGroup*> earlier;
    for (const SummaryGroup& kernel : was)
        earlier[kernel.labels[0]] = &kernel;
    const auto add = [&](const SummaryGroup* old, const SummaryGroup* now) {
        ChangedRow row;
        row.name = (now != nullptr ? now : old)->labels[0];
        if (old != nullptr) {
            row.before_ns = old->total();
            row.countBefore = old->count();
            row.longestBefore = old->longest;
        }
        if (now != nullptr) {
            row.after_ns = now->total();
            row.countAfter = now->count();
            row.longestAfter = now->longest;
        }
        if (old != nullptr && now != nullptr) row.interval = confidenceOfChange(totalOf(*old), totalOf(*now));
        out.rows.push_back(std::move(row));
    };
    for (const SummaryGroup& kernel : is) {
        const auto same = earlier.extract(kernel.labels[0]);
        add(same ? same.mapped() : nullptr, &kernel);
    }
    for (const SummaryGroup& kernel : was)
        if (earlier.contains(kernel.labels[0])) add(&kernel, nullptr);
    finish(out);
    return out;
}

// The values of one quantity on one side, one per step.
struct StepValues {
    std::vector<int64_t> values;

    SampleMean mean() const
    {
        SampleMean out;
        out.count = static_cast<int64_t>(values.size());
        for (const int64_t value : values)
            out.mean += static_cast<double>(value) / static_cast<double>(values.size());
        double squares = 0;
        for (const int64_t value : values)
            squares += (static_cast<double>(value) - out.mean) * (static_cast<double>(value) - out.mean);
        if (out.count > 1) out.deviation = std::sqrt(squares / static_cast<double>(out.count - 1));
        return out;
    }
};

using ByName = std::map<std::string, StepValues>;

// Adds phases and device activities by name.
void addPhases(const StepRow& row, ByName& out)
{
    for (const StepMetric& metric : stepMetrics())
        if (const auto value = metric.value(row.times); value && metric.kind != "step")
            out[metric.name].values.push_back(*value);
}

// Adds the busy time of a rank.
void addBusy(const StepRow& row, ByName& out)
{
    if (!row.times.hasDevice) return;
    const std::string name =
        row.group.isUnknown ? "rank unknown" : "rank " + std::to_string(row.group.number);
    out[name].values.push_back(row.times.busy_ns);
}

Result<ChangedRows> changedSteps(bool byRank, const ChangedSide& before, const ChangedSide& after,
                                 const Progress& progress)
{
    const auto valuesOf = [&](const ChangedSide& side) -> Result<ByName> {
        Scope scope;
        if (byRank) scope.by = GroupBy::rank;
        const auto steps =
            LOCKSTEP_TRY(rowsOf("step_breakdown", stepBreakdown, *side.scene, scope, progress));
        ByName out;
        for (const StepRow& row : steps.rows) {
            if (side.step && row.step != side.step) continue;
            if (byRank)
                addBusy(row, out);
            else
                addPhases(row, out);
        }
        return out;
    };
    const ByName was = LOCKSTEP_TRY(valuesOf(before)), is = LOCKSTEP_TRY(valuesOf(after));
    ByName all = was;
    all.insert(is.begin(), is.end());
    ChangedRows out;
    out.rule = byRank ? "GPU work time of each rank per step, from step_breakdown"
                      : "phases and device work per step, from step_breakdown";
    out.rule += "; means over the steps of each side";
    for (const auto& [name, values] : all) {
        ChangedRow row;
        row.name = name;
        const auto take = [&](const ByName& from, std::optional<int64_t>& mean_ns, int64_t& count) {
            const auto at = from.find(name);
            if (at == from.end()) return SampleMean();
            const SampleMean mean = at->second.mean();
            mean_ns = std::llround(mean.mean);
            count = mean.count;
            return mean;
        };
        const SampleMean first = take(was, row.before_ns, row.countBefore);
        const SampleMean second = take(is, row.after_ns, row.countAfter);
        row.interval = confidenceOfChange(first, second);
        out.rows.push_back(std::move(row));
    }
    finish(out);
    return out;
}

// Time on the critical path of one side, by kind and name, summed over some of the side's steps.
struct PathTimes {
    std::map<std::pair<std::string, std::string>, int64_t> of;
    int64_t total_ns = 0;

    PathTimes(const std::vector<PathRow>& rows, const std::set<int64_t>* steps)
    {
        for (const PathRow& row : rows) {
            if (steps != nullptr && !(row.step && steps->contains(*row.step))) continue;
            std::string what = row.name;
            // The range that marks a step has a different name in each step.
            const std::string number = row.step ? std::to_string(*row.step) : std::string();
            if (!number.empty() && what.ends_with(number))
                what.replace(what.size() - number.size(), number.size(), "N");
            of[{std::string(row.kindName()), what}] += row.time_ns;
            total_ns += row.time_ns;
        }
    }
};

std::set<int64_t> stepNumbers(const std::vector<PathRow>& path)
{
    std::set<int64_t> out;
    for (const PathRow& row : path)
        if (row.step) out.insert(*row.step);
    return out;
}

} // namespace

std::optional<double> ChangedRow::changePercent() const
{
    if (!before_ns || !after_ns) return std::nullopt;
    return changeInPercent(static_cast<double>(*before_ns), static_cast<double>(*after_ns));
}

Result<ChangedRows> changedRows(ChangesBy by, const ChangedSide& before, const ChangedSide& after,
                                const Progress& progress)
{
    if (by == ChangesBy::kernel) return changedKernels(before, after, progress);
    return changedSteps(by == ChangesBy::rank, before, after, progress);
}

Result<LengthChange> lengthChange(const ChangedSide& before, const ChangedSide& after, size_t most,
                                  const Progress& progress)
{
    const auto pathOf = [&](const ChangedSide& side) {
        return rowsOf("critical_path", criticalPath, *side.scene, {}, progress);
    };
    const std::vector<PathRow> was = LOCKSTEP_TRY(pathOf(before)).rows;
    const std::vector<PathRow> is =
        before.scene == after.scene ? std::vector<PathRow>() : LOCKSTEP_TRY(pathOf(after)).rows;
    const std::vector<PathRow>& now = before.scene == after.scene ? was : is;
    std::set<int64_t> stepsBefore = stepNumbers(was), stepsAfter = stepNumbers(now), both;
    std::ranges::set_intersection(stepsBefore, stepsAfter, std::inserter(both, both.end()));
    if (!both.empty()) stepsBefore = stepsAfter = both;
    if (before.step) stepsBefore = {*before.step};
    if (after.step) stepsAfter = {*after.step};
    const PathTimes first(was, stepsBefore.empty() ? nullptr : &stepsBefore);
    const PathTimes second(now, stepsAfter.empty() ? nullptr : &stepsAfter);
    LengthChange out;
    if (first.of.empty() || second.of.empty()) return out;
    out.before_ns = first.total_ns;
    out.after_ns = second.total_ns;
    out.steps = std::max<size_t>(1, std::min(stepsBefore.size(), stepsAfter.size()));
    std::map<std::pair<std::string, std::string>, int64_t> changes = second.of;
    for (const auto& [key, time_ns] : first.of)
        changes[key] -= time_ns;
    for (const auto& [key, change_ns] : changes)
        if (change_ns != 0) out.parts.push_back({key.second, key.first, change_ns});
    std::ranges::stable_sort(out.parts, std::ranges::greater{},
                             [](const LengthChange::Part& part) { return std::abs(part.change_ns); });
    if (out.parts.size() <= most + 1) return out;
    LengthChange::Part others{"others (" + std::to_string(out.parts.size() - most) + ")", "", 0};
    for (size_t i = most; i < out.parts.size(); ++i)
        others.change_ns += out.parts[i].change_ns;
    out.parts.resize(most);
    out.parts.push_back(others);
    return out;
}

} // namespace lockstep
