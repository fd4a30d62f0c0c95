// SPDX-License-Identifier: Apache-2.0
// NvtxRanges: the NVTX ranges of one thread as a tree by containment, regardless of their domains, and the
// GPU work launched in each. All tables of ranges are computed from it. Created for an analysis. Thread: any.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/row_kinds.h"

namespace lockstep {

inline constexpr RowKinds kNvtxStyles = rowKinds({RowKind::nvtxPushPop, RowKind::nvtxStartEnd});
inline constexpr uint32_t kNoRange = 0xFFFFFFFFu;

struct NvtxRange {
    SliceId slice;
    TrackId track;
    TimeRange range; // on the report's clock; a range that was never closed ends at the latest end of any
                     // closed range in the report
    uint32_t parent = kNoRange;
    uint32_t level = 0; // number of ancestors
    uint32_t children = 0;
    int64_t inChildren_ns = 0; // sum of the durations of its children
};

// GPU work and the call that launched it.
struct LaunchedWork {
    SliceId call; // invalid if not recorded
    SliceId work;
};

struct NvtxRanges {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    ThreadId thread;
    std::vector<NvtxRange> ranges; // sorted by start, then by duration (longest first), then in file order

    // Sets parents, levels and children. The parent of a range is the smallest range that contains it. O(n
    // log n) for ranges that do not cross, regardless of how many are open. For a range that crosses others,
    // these are examined as well.
    void nest();
};

// Collects the ranges that overlap the scope's time range in the visible reports in scope. For other kinds of
// tracks, collects their rows and nests them in the same way.
Result<std::vector<NvtxRanges>> nvtxRangesInScope(const AnalysisRequest& request, RowKinds styles,
                                                  const Progress& progress,
                                                  TrackKind tracks = TrackKind::nvtx);
// Collects the ranges in one report, thread by thread, because sums need the ranges of only one thread at a
// time.
Result<std::vector<NvtxRanges>> nvtxRangesOf(const AnalysisRequest& request, ReportKey report,
                                             RowKinds styles, const Progress& progress,
                                             TrackKind tracks = TrackKind::nvtx);

// Returns the first recorded call that launched the given GPU work, or an invalid ID.
SliceId launchOf(const Report& report, SliceId work);

// Collects the kernels, copies and memsets in a report in scope, grouped by the thread that launched them,
// sorted by the start of the call. Work whose call was not recorded is listed under its process with an
// invalid thread.
using WorkByThread = std::map<std::pair<ProcessId, ThreadId>, std::vector<LaunchedWork>>;
Result<WorkByThread> launchedWork(const AnalysisRequest& request, ReportKey report, RowKinds kinds,
                                  const Progress& progress);

// Iterates over launched work in order of the calls' starts, and provides the ranges that contain each call.
// All arguments must outlive it.
class RangesAround {
  public:
    RangesAround(const NvtxRanges& ranges, const Report& report, std::span<const LaunchedWork> works)
        : m_ranges(ranges.ranges), m_report(report), m_works(works)
    {
    }

    // Returns false after the last element. O(ranges open at once). The only possible error is `canceled`.
    Result<bool> next(const Progress& progress);
    const LaunchedWork& work() const { return m_works[m_taken - 1]; }
    // Returns the ranges that contain the call (both ends inclusive), outermost first, as indices in
    // NvtxRanges::ranges. Empty if the work has no recorded call. Valid until next().
    std::span<const uint32_t> around() const { return m_around; }

  private:
    std::span<const NvtxRange> m_ranges;
    const Report& m_report;
    std::span<const LaunchedWork> m_works;
    size_t m_taken = 0; // position in the work
    std::vector<uint32_t> m_open, m_around;
    uint32_t m_nextRange = 0;
    size_t m_visitedRanges = 0; // ranges visited since progress was last checked
};

// Returns the domain of a track. The default domain has number 0 and no name.
std::string nvtxDomain(const Report& report, const Track& track);
// Returns "domain:text"; ":text" for the default domain.
std::string nvtxLabel(const Report& report, TrackId track, SliceId range);
std::string_view nvtxStyle(const Report& report, SliceId range); // "PushPop" or "StartEnd"

} // namespace lockstep
