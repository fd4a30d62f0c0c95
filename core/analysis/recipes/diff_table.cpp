// SPDX-License-Identifier: Apache-2.0
// The nsys recipe diff: compares one summary table between two reports, ranks, steps, roles, hosts or
// processes, row by row.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kDiffTitle = "Diff of two reports, ranks or steps";
// Tables of sums by name, all of which have the same columns from Total Time on.
constexpr std::array<std::string_view, 14> kSums{"cuda_gpu_kern_sum",
                                                 "cuda_gpu_kern_gb_sum",
                                                 "cuda_gpu_mem_time_sum",
                                                 "cuda_gpu_sum",
                                                 "cuda_api_sum",
                                                 "cuda_api_gpu_sum",
                                                 "nvtx_sum",
                                                 "nvtx_pushpop_sum",
                                                 "nvtx_startend_sum",
                                                 "nccl_sum",
                                                 "osrt_sum",
                                                 "mpi_event_sum",
                                                 "cudnn_api_sum",
                                                 "cublas_api_sum"};
constexpr std::array<std::string_view, 6> kParts{"report", "process", "rank", "role", "step", "host"};
constexpr std::array kDiffArguments{
    AnalysisArgument{"of", "table to compare", ArgumentType::choice, "cuda_gpu_kern_sum", "", 0, 0, kSums},
    AnalysisArgument{"by", "what to compare", ArgumentType::choice, "report", "", 0, 0, kParts},
    AnalysisArgument{"before",
                     "the first of the two; a report by its path or the end of the path, with a colon "
                     "written as \\:; default: the first",
                     ArgumentType::text},
    AnalysisArgument{"after", "the second of the two; default: the last", ArgumentType::text}};

struct Side {
    int64_t total_ns = 0, count = 0, average = 0; // average in tenths of ns
    SliceRef longest;
};

struct Change {
    std::vector<std::string> labels;
    std::array<std::optional<Side>, 2> sides; // before, after

    int64_t delta_ns() const
    {
        return (sides[1] ? sides[1]->total_ns : 0) - (sides[0] ? sides[0]->total_ns : 0);
    }
};

// Returns the group with this name, otherwise the only group whose name ends with the given string. If there
// is none, returns `invalid` with the existing names.
Result<std::string> matchingGroup(std::string_view word, const std::vector<std::string>& groups,
                                  size_t byDefault, std::string_view argument)
{
    if (word.empty()) return groups[byDefault];
    if (std::ranges::find(groups, word) != groups.end()) return std::string(word);
    std::string all;
    std::vector<std::string> matches;
    for (const std::string& group : groups) {
        if (group.ends_with(word)) matches.push_back(group);
        all += (all.empty() ? "" : ", ") + group;
    }
    if (matches.size() == 1) return matches.front();
    return makeError(ErrorKind::invalid,
                     "diff " + std::string(argument) + "=" + std::string(word) +
                         (matches.empty() ? ": no match; choose from " : ": ambiguous; choose one of ") +
                         all);
}

// Returns the groups in table order without duplicates; rows without a known group are skipped.
std::vector<std::string> groupsOf(const Table& sums)
{
    std::vector<std::string> groups;
    for (size_t row = 0; row < sums.rowCount(); ++row) {
        std::string group = sums.cell(0, row);
        if (!group.empty() && (groups.empty() || groups.back() != group)) groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<Change> changesOf(const Table& sums, const TimeSummaryColumns& at, const std::string& before,
                              const std::string& after)
{
    std::map<std::vector<std::string>, Change> changes;
    for (size_t row = 0; row < sums.rowCount(); ++row) {
        const std::string group = sums.cell(0, row);
        if (group != before && group != after) continue;
        std::vector<std::string> names;
        for (size_t column = at.labels; column < sums.columnCount(); ++column)
            names.emplace_back(sums.text(column, row));
        Change& change = changes[names];
        change.labels = std::move(names);
        const Side side{sums.number(at.total, row), sums.number(at.count, row), sums.number(at.average, row),
                        sums.longest(row)};
        if (group == before) change.sides[0] = side;
        if (group == after) change.sides[1] = side;
    }
    std::vector<Change> out;
    for (auto& [names, change] : changes)
        out.push_back(std::move(change));
    std::ranges::stable_sort(out, std::greater<>(), [](const Change& change) {
        const int64_t delta_ns = change.delta_ns();
        return delta_ns < 0 ? -delta_ns : delta_ns;
    });
    return out;
}

void addDiffColumns(Table& table, const Table& sums, size_t labels)
{
    const auto time = [&](const char* name, int decimals, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, decimals, doc});
    };
    time("Delta", 0, "Total After - Total Before; missing on one side counts as 0");
    table.addColumn(
        {"Delta", "%", ColumnType::percent, 1, "Delta as a share of Total Before; empty if that is 0"});
    time("Total Before", 0, "sum of the durations before; empty if there are none");
    time("Total After", 0, "sum of the durations after; empty if there are none");
    table.addColumn({"Count Before", "", ColumnType::integer, 0, "number of instances before"});
    table.addColumn({"Count After", "", ColumnType::integer, 0, "number of instances after"});
    time("Avg Before", 1, "mean duration before");
    time("Avg After", 1, "mean duration after");
    table.markSums({"Delta", "Total Before", "Total After", "Count Before", "Count After"});
    for (size_t column = labels; column < sums.columnCount(); ++column)
        table.addColumn({sums.column(column).name, "", ColumnType::text, 0, sums.column(column).doc});
}

void addChange(Table& table, const Change& change)
{
    const auto& [before, after] = change.sides;
    table.addRow(after ? after->longest : before->longest);
    table.setNumber(0, change.delta_ns());
    if (before && before->total_ns > 0)
        table.setNumber(1, roundedQuotient(__int128(change.delta_ns()) * 1000, before->total_ns));
    for (size_t side = 0; side < 2; ++side) {
        if (!change.sides[side]) continue;
        table.setNumber(2 + side, change.sides[side]->total_ns);
        table.setNumber(4 + side, change.sides[side]->count);
        table.setNumber(6 + side, change.sides[side]->average);
    }
    for (size_t i = 0; i < change.labels.size(); ++i)
        table.setText(8 + i, change.labels[i]);
}

Result<Table> diffRows(const AnalysisRequest& request, const Progress& progress)
{
    const std::string of(request.arguments.choice("of"));
    Scope scope = request.scope;
    scope.by = groupByNamed(request.arguments.choice("by")).value_or(GroupBy::report);
    const Table sums = LOCKSTEP_TRY(runAnalysis(of, request.scene, scope, progress, request.inputs));
    Table table{std::string(request.what), std::string(kDiffTitle)};
    const TimeSummaryColumns at(scope.by);
    addDiffColumns(table, sums, at.labels);
    table.source.rows = sums.source.rows;
    table.source.rules = sums.source.rules;
    const std::vector<std::string> groups = groupsOf(sums);
    const std::string part(groupByName(scope.by));
    if (groups.size() < 2) {
        table.source.rules.push_back(
            "nothing to compare: " + of + " has " +
            (groups.empty() ? "no rows with a known " + part : "only one " + part + ": " + groups[0]));
        table.source.whenEmpty = sums.source.whenEmpty;
        if (sums.rowCount() > 0) {
            table.source.whenEmpty =
                "Nothing to compare: " +
                (groups.empty() ? "no row of " + of + " has a known " + part
                                : "all rows of " + of + " belong to one " + part + ", " + groups[0]) +
                ".";
        }
        return table;
    }
    const std::string before =
        LOCKSTEP_TRY(matchingGroup(request.arguments.text("before"), groups, 0, "before"));
    const std::string after =
        LOCKSTEP_TRY(matchingGroup(request.arguments.text("after"), groups, groups.size() - 1, "after"));
    for (const Change& change : changesOf(sums, at, before, after))
        addChange(table, change);
    table.source.rules.push_back(of + " of " + part + " " + before + ", then of " + part + " " + after);
    if (request.scope.by != GroupBy::total)
        table.source.rules.push_back("rows are grouped only by what is compared: see the argument by=");
    return table;
}

} // namespace

Analysis diffAnalysis()
{
    return {"diff", kDiffTitle, "pair of reports, ranks or steps to compare", kDiffArguments, diffRows};
}

} // namespace lockstep
