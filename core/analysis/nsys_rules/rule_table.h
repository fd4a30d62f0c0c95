// SPDX-License-Identifier: Apache-2.0
// RuleTable: the part common to the tables for `nsys analyze` rules: their arguments, the time window derived
// from the arguments, sorting (worst rows first) and the row limit. Names, defaults and meaning follow the
// spec "nsys analyze" and `nsys analyze --help-rules`. Each table creates its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/device_work.h"

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

// One row with its time, place and sort keys.
struct RuleFinding {
    GroupKey group;
    int64_t order = 0; // the smallest is listed first; ties are sorted by `second`, then by time, then by the
                       // order in which reports were opened
    ReportKey report;
    TimeRange range; // on the report's clock
    SliceId slice;   // slice to which a click leads
    size_t row = 0;  // index in data that the rule stores separately
    int64_t second = 0;
};

class RuleTable {
  public:
    explicit RuleTable(const AnalysisRequest& request) : m_request(request) {}

    // Returns the part of a report that is examined, on the report's clock. This is the intersection of the
    // scope's time range and the rule's own arguments, or the whole report if neither is set. The result is
    // empty if the range specified by `nvtx` does not exist.
    ReportWindow window() const;

    // columns: named as in nsys, without "Row#". fill sets the cells of one finding, starting at column
    // `first`. If there are several reports, each row also contains its report and its start on the aligned
    // axis.
    using Fill = std::function<void(Table& table, size_t first, const RuleFinding& finding)>;
    Table make(std::string_view title, bool isNumbered, std::vector<TableColumn> columns,
               std::vector<RuleFinding> findings, const Fill& fill) const;

  private:
    const AnalysisRequest& m_request;
};

// Columns that most rules have in common.
TableColumn ruleDuration(std::string doc);
TableColumn ruleStart();
TableColumn rulePid();
TableColumn ruleDevice();
TableColumn ruleContext();

} // namespace lockstep
