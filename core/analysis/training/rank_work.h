// SPDX-License-Identifier: Apache-2.0
// RankWork: what the GPUs of one process did in whole training steps, row by row and class by class: what the
// training analyses count. As it was recorded, or as HTA would see it. Made by rankWorkInScope().
#pragma once

#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/training/kernel_class.h"

namespace lockstep {

inline constexpr AnalysisArgument kHtaArgument{
    "hta", "as HTA counts: whole microseconds (starts up, ends down), classes by its patterns of names"};
inline constexpr AnalysisArgument kAllStepsArgument{
    "allsteps", "work of the last ProfilerStep, and work that no call is known of, counts too"};

struct WorkRow {
    TimeRange
        range; // on the report's clock; with `hta` rounded, and then its end may be 1 us before its begin
    SliceId slice;
    SliceId call; // that launched it; invalid where the file does not say
    int64_t stream = 0;
    KernelClass of = KernelClass::other;
};

struct RankWork {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    std::vector<WorkRow> rows; // by begin, then as in the file
    size_t leftOut = 0;        // rows of the last step, or without a call where steps are told apart

    std::vector<WorkRow> rowsOf(KernelClass of) const;
};

enum class WorkRows : uint8_t {
    gpuWork,     // what makes a GPU busy
    allOfStreams // also synchronizations of a stream ("cuda_sync" rows), which HTA's temporal breakdown
                 // counts
};

// Work of the shown reports in scope that overlaps its time range, whole. Where a process has two or more
// ProfilerSteps only what was launched before the last of them counts (HTA's rule: the last is often cut),
// unless the request's arguments say "allsteps". canceled is the only error.
Result<std::vector<RankWork>> rankWorkInScope(const AnalysisRequest& request, const Progress& progress,
                                              WorkRows wanted = WorkRows::gpuWork);

// What HTA makes of a range of a trace's own clock: begin up and end down to whole microseconds.
TimeRange roundedByHta(TimeRange range);

// Ranges joined where they touch or overlap, as HTA's merge_kernel_intervals does it: those that rounding
// turned around are kept. rows are by begin.
std::vector<TimeRange> mergedRanges(std::span<const WorkRow> rows);
Duration lengthOf(std::span<const TimeRange> ranges);

// The columns that say whose a row is, and their cells: rank first, as HTA has it, unless rows are grouped
// so.
class RankColumns {
  public:
    RankColumns(const AnalysisRequest& request, Table& table);
    // After all columns of the analysis: which report.
    void addReport();
    // Adds a row.
    void addRow(const RankWork& work, SliceId slice = {});

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_rank, m_report;
};

// What of the work was left out and how it was counted, as rules of the table's source.
void describeWork(const AnalysisRequest& request, std::span<const RankWork> works, Table& table);

} // namespace lockstep
