// SPDX-License-Identifier: Apache-2.0
// RuleTable: what the tables of the rules of `nsys analyze` have in common: their arguments, the window that
// these choose, worst rows first, and no more of them than asked for. Names, defaults and meaning as in
// spec "nsys analyze" and `nsys analyze --help-rules`. One per table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/device_work.h"

namespace lockstep {

inline constexpr AnalysisArgument kRowsArgument{
    "rows", "how many rows at most in each group; -1: all", ArgumentType::whole, "50", "", -1};
inline constexpr AnalysisArgument kStartArgument{
    "start", "rows that end later, on the report's own clock", ArgumentType::duration, "", "ns", -4.6e18};
inline constexpr AnalysisArgument kEndArgument{
    "end", "rows that start earlier, on the report's own clock", ArgumentType::duration, "", "ns", -4.6e18};
inline constexpr AnalysisArgument kNvtxArgument{
    "nvtx", "rows that overlap the first NVTX range of this name, RANGE[@DOMAIN]", ArgumentType::text};

// Of the rules about idle GPUs: which operations count.
inline constexpr AnalysisArgument kNoGraphsArgument{
    "nographs", "graphs recorded as a whole do not count as work, as in nsys 2022.4"};
RowKinds idleRuleKinds(const AnalysisRequest& request);

// One row: where it was, and what it is listed by.
struct RuleFinding {
    GroupKey group;
    int64_t order = 0; // least first; equal ones by `second`, by time, then as reports were opened
    ReportKey report;
    TimeRange range; // on the report's clock
    SliceId slice;   // what a click leads to
    size_t row = 0;  // of whatever the rule keeps beside it
    int64_t second = 0;
};

class RuleTable {
  public:
    explicit RuleTable(const AnalysisRequest& request) : m_request(request) {}

    // What of a report counts, on its clock: the scope's time range and the rule's own arguments; all of it
    // where neither says. Where the range of `nvtx` is not there: nothing.
    ReportWindow window() const;

    // columns: as nsys names them, without "Row#". fill sets them for one finding, from column `first` on.
    // Where there are several reports, each row says which, and when that was on the aligned axis.
    using Fill = std::function<void(Table& table, size_t first, const RuleFinding& finding)>;
    Table make(std::string_view title, bool isNumbered, std::vector<TableColumn> columns,
               std::vector<RuleFinding> findings, const Fill& fill) const;

  private:
    const AnalysisRequest& m_request;
};

// The columns that most of them have.
TableColumn ruleDuration(std::string doc);
TableColumn ruleStart();
TableColumn rulePid();
TableColumn ruleDevice();
TableColumn ruleContext();

} // namespace lockstep
