// SPDX-License-Identifier: Apache-2.0
// NvtxRanges: the NVTX ranges of one thread as a tree by containment, whatever their domains, and the GPU
// work that was launched within each: what tables of ranges are made from. Made for an analysis; any thread.
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
    TimeRange range; // on the report's clock; one left open ends with the report's last closed range
    uint32_t parent = kNoRange;
    uint32_t level = 0; // parents above it
    uint32_t children = 0;
    int64_t inChildren_ns = 0; // sum of what its children took
};

// Work and the call that launched it.
struct LaunchedWork {
    SliceId call; // invalid where the file has none
    SliceId work;
};

struct NvtxRanges {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    ThreadId thread;
    std::vector<NvtxRange> ranges; // by begin, the longest first, then as in the file

    // Sets parents, levels and children: the parent of a range is the one that contains it with the least
    // room to spare. O(n log n) where ranges do not cross, however many are open; each that crosses others
    // looks at those it crosses.
    void nest();
};

// Of the shown reports in scope; those that overlap its time range. Of another kind of tracks: its rows of
// these kinds, nested the same way.
Result<std::vector<NvtxRanges>> nvtxRangesInScope(const AnalysisRequest& request, RowKinds styles,
                                                  const Progress& progress,
                                                  TrackKind tracks = TrackKind::nvtx);
// Of one report, thread by thread: what is summed needs no more at once.
Result<std::vector<NvtxRanges>> nvtxRangesOf(const AnalysisRequest& request, ReportKey report,
                                             RowKinds styles, const Progress& progress,
                                             TrackKind tracks = TrackKind::nvtx);

// The first call that is known to have launched a piece of GPU work; invalid where none is.
SliceId launchOf(const Report& report, SliceId work);

// Kernels, copies and memsets of a report, in scope, that calls of the thread launched, by the start of the
// call; those that no call is known of under the invalid thread, without a call, of the process that they
// are of.
using WorkByThread = std::map<std::pair<ProcessId, ThreadId>, std::vector<LaunchedWork>>;
Result<WorkByThread> launchedWork(const AnalysisRequest& request, ReportKey report, RowKinds kinds,
                                  const Progress& progress);

// Steps through launched work, in order of the calls' starts, with the ranges that contain each call. All it
// is given outlives it.
class RangesAround {
  public:
    RangesAround(const NvtxRanges& ranges, const Report& report, std::span<const LaunchedWork> works)
        : m_ranges(ranges.ranges), m_report(report), m_works(works)
    {
    }

    // False after the last. O(ranges open at once); canceled.
    Result<bool> next(const Progress& progress);
    const LaunchedWork& work() const { return m_works[m_taken - 1]; }
    // Those that contain the call, both ends included, outermost first: places in NvtxRanges::ranges. None
    // where there is no call. Holds until next().
    std::span<const uint32_t> around() const { return m_around; }

  private:
    std::span<const NvtxRange> m_ranges;
    const Report& m_report;
    std::span<const LaunchedWork> m_works;
    size_t m_taken = 0; // of the work
    std::vector<uint32_t> m_open, m_around;
    uint32_t m_nextRange = 0;
    size_t m_looked = 0; // at ranges, since progress was asked
};

// The default domain has number 0 and no name.
std::string nvtxDomain(const Report& report, const Track& track);
// "domain:text", of the default domain ":text".
std::string nvtxLabel(const Report& report, TrackId track, SliceId range);
std::string_view nvtxStyle(const Report& report, SliceId range); // "PushPop" or "StartEnd"

} // namespace lockstep
