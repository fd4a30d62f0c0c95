// SPDX-License-Identifier: Apache-2.0
// EnclosingRanges: which slices of a thread's tracks run at a moment, as the stack of what happened then.
// Made for one report and the kinds of track that count; read while it lives, one thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

class EnclosingRanges {
  public:
    // The report must outlive it and not change. O(tracks).
    EnclosingRanges(const Report& report, std::span<const TrackKind> kinds);

    // The slices of [start, end) that hold the moment, of all these tracks of a thread, innermost first:
    // what began last. Of each track kMostDepth ranges are looked at: what is outside of these is left out.
    // O(tracks of the thread * log slices + depth). The view lasts until the next call.
    static constexpr int kMostDepth = 1024;
    std::span<const SliceId> at(ThreadId thread, int64_t time_ns);

  private:
    void addTrack(const Track& track, int64_t time_ns);

    const Report& m_report;
    std::map<ThreadId, std::vector<TrackId>> m_tracks;
    std::vector<SliceId> m_found;
};

} // namespace lockstep
