// SPDX-License-Identifier: Apache-2.0
// RankWork: the GPU work of one process in complete training steps, row by row with its class. The training
// analyses use it as input, either as recorded, or rounded as HTA would read it. Created by
// rankWorkInScope().
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table_columns.h"
#include "core/analysis/training/kernel_class.h"

namespace lockstep {

inline constexpr AnalysisArgument kHtaArgument{
    "hta", "count as HTA does: whole microseconds (starts up, ends down), classes by its name patterns"};
inline constexpr AnalysisArgument kAllStepsArgument{
    "allsteps", "also count work of the last ProfilerStep and work without a recorded call"};

struct WorkRow {
    TimeRange range; // on the report's clock; with `hta` the range is rounded, so its end may be 1 us before
                     // its begin
    SliceId slice;
    SliceId call; // launch call; invalid if not recorded
    int64_t stream = 0;
    KernelClass of = KernelClass::other;
};

struct RankWork {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    std::vector<WorkRow> rows; // sorted by start, then in file order
    size_t excluded = 0;       // number of rows that were excluded: rows in the last step, and, if steps are
                               // distinguished, rows without a launch call

    std::vector<WorkRow> rowsOf(KernelClass of) const;
};

enum class WorkRows : uint8_t {
    gpuWork,     // kinds of work that count as GPU busy time
    allOfStreams // same, plus synchronizations of a stream ("cuda_sync" rows), which HTA's temporal breakdown
                 // counts as well
};

// Collects the work in the visible reports in scope that overlaps the time range, without clipping. If a
// process has two or more ProfilerSteps, only work launched before the last ProfilerStep is included. This is
// HTA's rule, because the last step is often clipped. It does not apply if the request's arguments include
// "allsteps". The only possible error is `canceled`.
Result<std::vector<RankWork>> rankWorkInScope(const AnalysisRequest& request, const Progress& progress,
                                              WorkRows kinds = WorkRows::gpuWork);

// Rounds a range on a trace's own clock as HTA does: the start up and the end down to whole microseconds.
TimeRange roundedByHta(TimeRange range);

// Joins ranges that touch or overlap, as in HTA's merge_kernel_intervals; ranges that rounding inverted are
// kept. `rows` must be sorted by start.
std::vector<TimeRange> mergedRanges(std::span<const WorkRow> rows);
Duration lengthOf(std::span<const TimeRange> ranges);

// The members common to rows about the work of one process.
struct RankRow {
    GroupKey group;
    SliceRef longest;
    std::optional<int64_t> rank;
    std::string report; // path
};

// Returns the row's members for this work; `slice` may be invalid.
RankRow rankRowOf(const AnalysisRequest& request, const RankWork& work, SliceId slice = {});

// The leading columns, which identify a row, and their cells. As in HTA, rank comes first, unless rows are
// grouped by rank.
class RankColumns {
  public:
    RankColumns(const AnalysisRequest& request, Table& table);
    // Adds the report column; call after adding all columns of the analysis.
    void addReport();
    // Adds a row with its leading cells filled in.
    void addRow(const RankWork& work, SliceId slice = {});

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_rank, m_report;
};

// Adds rules to the table's source that state which work was excluded and how the remaining work was counted.
void describeWork(const AnalysisRequest& request, std::span<const RankWork> works, TableSource& source);

} // namespace lockstep
