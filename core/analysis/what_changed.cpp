// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/what_changed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "core/analysis/analysis.h"
#include "core/analysis/comparison.h"

namespace lockstep {

namespace {

constexpr int64_t kMany = 30; // minimum number of samples for a reliable interval

ChangeTrust trustOf(const ChangedRow& row)
{
    if (!row.before_ns) return ChangeTrust::isNew;
    if (!row.after_ns) return ChangeTrust::isGone;
    if (!row.interval) return ChangeTrust::none;
    if (row.interval->low <= 0 && row.interval->high >= 0) return ChangeTrust::noise;
    return std::min(row.countBefore, row.countAfter) >= kMany ? ChangeTrust::high : ChangeTrust::medium;
}

void finish(ChangedRows& out)
{
    for (ChangedRow& row : out.rows)
        row.trust = trustOf(row);
    std::ranges::stable_sort(out.rows, std::ranges::greater{},
                             [](const ChangedRow& row) { return std::abs(row.change_ns()); });
}

// Converts the mean of n values to a sample of their sum. The interval of this sample is the interval for the
// total of n independent values.
SampleMean totalOf(const Table& table, const char* side, size_t row)
{
    const auto value = [&](const std::string& name) {
        const size_t column = table.columnNamed(name + " " + side);
        return column < table.columnCount() && table.hasNumber(column, row) ? table.value(column, row) : 0;
    };
    const double count = value("Instances");
    return {std::llround(count), value("Avg") * count, value("StdDev") * count};
}

Result<ChangedRows> changedKernels(const ChangedSide& before, const ChangedSide& after,
                                   const Progress& progress)
{
    constexpr const char* kWhat = "cuda_gpu_kern_sum:base";
    const auto tableOf = [&](const ChangedSide& side) {
        Scope scope;
        scope.time = side.range;
        return runAnalysis(kWhat, *side.scene, scope, progress);
    };
    const Table was = LOCKSTEP_TRY(tableOf(before)), is = LOCKSTEP_TRY(tableOf(after));
    const Table compared = compareTables(was, is);
    const JoinedRows joined = joinRows(was, is); // the rows of `compared`, in the same order
    const auto column = [&](const char* name) { return compared.columnNamed(name); };
    const size_t name = column("Name"), timeBefore = column("Total Time Before"),
                 timeAfter = column("Total Time After"), countBefore = column("Instances Before"),
                 countAfter = column("Instances After");
    ChangedRows out;
    out.rule = "total time of each kernel by its base name, clipped to the compared range";
    for (size_t i = 0; i < compared.rowCount(); ++i) {
        ChangedRow row;
        row.name = compared.cell(name, i);
        const RowPair& pair = joined.pairs[i];
        if (pair.before != RowPair::kNone) {
            row.before_ns = compared.number(timeBefore, i);
            row.countBefore = compared.number(countBefore, i);
            row.longestBefore = was.longest(pair.before);
        }
        if (pair.after != RowPair::kNone) {
            row.after_ns = compared.number(timeAfter, i);
            row.countAfter = compared.number(countAfter, i);
            row.longestAfter = is.longest(pair.after);
        }
        if (pair.isWhole())
            row.interval = confidenceOfChange(totalOf(compared, "Before", i), totalOf(compared, "After", i));
        out.rows.push_back(std::move(row));
    }
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

bool isOfStep(const Table& table, size_t row, std::optional<int64_t> step)
{
    const size_t column = table.columnNamed("step");
    return !step || (column < table.columnCount() && table.hasNumber(column, row) &&
                     table.number(column, row) == *step);
}

// Returns phases and device activities by column.
ByName phasesOf(const Table& steps, std::optional<int64_t> step)
{
    const std::set<std::string> others{"span", "wall", "overlap", "device_wall", "outside"};
    ByName out;
    for (size_t c = 0; c < steps.columnCount(); ++c) {
        const TableColumn& column = steps.column(c);
        if (column.type != ColumnType::time || others.contains(column.name)) continue;
        for (size_t row = 0; row < steps.rowCount(); ++row)
            if (isOfStep(steps, row, step) && steps.hasNumber(c, row))
                out[column.name].values.push_back(steps.number(c, row));
    }
    return out;
}

ByName ranksOf(const Table& steps, std::optional<int64_t> step)
{
    ByName out;
    const size_t rank = steps.columnNamed("Rank"), busy = steps.columnNamed("busy");
    if (rank == steps.columnCount() || busy == steps.columnCount()) return out;
    for (size_t row = 0; row < steps.rowCount(); ++row) {
        if (!isOfStep(steps, row, step) || !steps.hasNumber(busy, row)) continue;
        const std::string number = steps.cell(rank, row);
        out[number.empty() ? "rank unknown" : "rank " + number].values.push_back(steps.number(busy, row));
    }
    return out;
}

Result<ChangedRows> changedSteps(bool byRank, const ChangedSide& before, const ChangedSide& after,
                                 const Progress& progress)
{
    const auto valuesOf = [&](const ChangedSide& side) -> Result<ByName> {
        Scope scope;
        if (byRank) scope.by = GroupBy::rank;
        const Table table = LOCKSTEP_TRY(runAnalysis("step_breakdown", *side.scene, scope, progress));
        return byRank ? ranksOf(table, side.step) : phasesOf(table, side.step);
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

    PathTimes(const Table& table, const std::set<int64_t>* steps)
    {
        const size_t kind = table.columnNamed("kind"), name = table.columnNamed("name"),
                     time = table.columnNamed("time"), step = table.columnNamed("step");
        for (size_t row = 0; row < table.rowCount(); ++row) {
            if (steps != nullptr && !(table.hasNumber(step, row) && steps->contains(table.number(step, row))))
                continue;
            std::string what(table.text(name, row));
            // The range that marks a step has a different name in each step.
            const std::string number = table.hasNumber(step, row) ? table.cell(step, row) : std::string();
            if (!number.empty() && what.ends_with(number))
                what.replace(what.size() - number.size(), number.size(), "N");
            of[{std::string(table.text(kind, row)), what}] += table.number(time, row);
            total_ns += table.number(time, row);
        }
    }
};

std::set<int64_t> stepNumbers(const Table& path)
{
    std::set<int64_t> out;
    const size_t step = path.columnNamed("step");
    for (size_t row = 0; row < path.rowCount(); ++row)
        if (path.hasNumber(step, row)) out.insert(path.number(step, row));
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
    const Table was = LOCKSTEP_TRY(runAnalysis("critical_path", *before.scene, {}, progress));
    const Table is = before.scene == after.scene
                         ? Table()
                         : LOCKSTEP_TRY(runAnalysis("critical_path", *after.scene, {}, progress));
    const Table& now = before.scene == after.scene ? was : is;
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
