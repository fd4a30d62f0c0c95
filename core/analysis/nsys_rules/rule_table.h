// SPDX-License-Identifier: Apache-2.0
// RuleRow: the part common to the rows of `nsys analyze` rules, with their arguments, the time window derived
// from the arguments, sorting (worst rows first) and the row limit. Names, defaults and meaning follow the
// spec "nsys analyze" and `nsys analyze --help-rules`. Rows refer to strings of their reports.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/device_work.h"
#include "core/analysis/table_columns.h"

namespace lockstep {

inline constexpr AnalysisArgument kRowsArgument{
    "rows", "maximum number of rows per group; -1: all", ArgumentType::whole, "50", "", -1};
inline constexpr AnalysisArgument kStartArgument{
    "start", "rows that end after this time, on the report's own clock", ArgumentType::duration, "", "ns",
    -4.6e18};
inline constexpr AnalysisArgument kEndArgument{
    "end",  "rows that start before this time, on the report's own clock", ArgumentType::duration, "", "ns",
    -4.6e18};
inline constexpr AnalysisArgument kNvtxArgument{
    "nvtx", "rows that overlap the first NVTX range with this name, RANGE[@DOMAIN]", ArgumentType::text};

// For the rules about idle GPUs: defines which operations count as work.
inline constexpr AnalysisArgument kNoGraphsArgument{
    "nographs", "graphs recorded as a whole do not count as work, as in nsys 2022.4"};
RowKinds idleRuleKinds(const AnalysisRequest& request);

struct RuleRow {
    GroupKey group;
    SliceRef longest; // slice to which a click leads
    TimeRange range;  // on the report's clock
    std::optional<int64_t> pid, device, context;
    // The smallest `order` is listed first; ties are sorted by `second`, then by time, then by the order in
    // which reports were opened.
    int64_t order = 0, second = 0;
    // Set by listWorst().
    int64_t number = 0; // position in the list of the group, from 1
    int64_t alignedStart_ns = 0;
    std::string_view report; // path

    int64_t start_ns() const { return range.begin.ns; }
    int64_t duration_ns() const { return range.length().ns; }
};

// Returns the row for a range of a process, the longest first. A slice or process may be invalid.
RuleRow ruleRow(const AnalysisRequest& request, ReportKey report, ProcessId process, TimeRange range,
                SliceId slice);
// Returns the row for a range of a process on a device.
RuleRow ruleRow(const AnalysisRequest& request, const DeviceWork& work, TimeRange range, SliceId slice);

// Returns the part of a report that is examined, on the report's clock. This is the intersection of the
// scope's time range and the rule's own arguments, or the whole report if neither is set. The result is empty
// if the range specified by `nvtx` does not exist.
ReportWindow ruleWindow(const AnalysisRequest& request);

// Describes the list of `listed` rows out of `found`.
TableSource ruleSource(const AnalysisRequest& request, size_t listed, size_t found);

// Sorts the rows and limits their number per group to the argument `rows`.
template<class Row>
AnalysisRows<Row> listWorst(const AnalysisRequest& request, std::vector<Row> rows)
{
    std::ranges::sort(rows, {}, [](const RuleRow& row) {
        return std::tuple(row.group, row.order, row.second, row.range.begin, row.longest.report,
                          row.longest.slice);
    });
    const int64_t most = request.arguments.whole(kRowsArgument.name);
    AnalysisRows<Row> made;
    int64_t count = 0;
    for (Row& row : rows) {
        if (made.rows.empty() || made.rows.back().group != row.group) count = 0;
        if (++count > most && most >= 0) continue;
        row.number = count;
        row.alignedStart_ns = request.alignment.map(row.longest.report).alignedFromTrace(row.range.begin).ns;
        row.report = request.workspace.report(row.longest.report).provenance.path.native();
        made.rows.push_back(std::move(row));
    }
    made.source = ruleSource(request, made.rows.size(), rows.size());
    return made;
}

// The columns that rules have in common, named as in nsys. Between the first and the last, a rule adds its
// own. If there are several reports, each row also contains its report and its start on the aligned axis.
template<class Row>
TableColumns<Row> firstRuleColumns(const AnalysisRequest& request, bool isNumbered)
{
    TableColumns<Row> columns;
    columns.group(request.scope.by);
    if (isNumbered) columns.count(&Row::number, "Row#", "position in the list, worst first");
    return columns;
}

template<class Row>
void addRuleTime(TableColumns<Row>& columns, const char* durationDoc)
{
    columns.time(&Row::duration_ns, "Duration", durationDoc)
        .time(&Row::start_ns, "Start", "start time, on the report's own clock");
}

template<class Row>
void addRulePid(TableColumns<Row>& columns)
{
    columns.count(&Row::pid, "PID", "process ID on its host");
}

template<class Row>
void addRulePlace(TableColumns<Row>& columns)
{
    addRulePid(columns);
    columns.count(&Row::device, "Device ID", "CUDA device ordinal in the process")
        .count(&Row::context, "Context ID", "CUDA context; empty if not recorded");
}

template<class Row>
void addLastRuleColumns(TableColumns<Row>& columns, const AnalysisRequest& request)
{
    if (request.workspace.keys().size() <= 1) return;
    columns.time(&Row::alignedStart_ns, "Aligned Start", "Start on the aligned axis shared by all reports")
        .means(ColumnMeaning::alignedTime)
        .report(&Row::report, "Report", "path of the report");
}

} // namespace lockstep
