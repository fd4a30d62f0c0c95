// SPDX-License-Identifier: Apache-2.0
// EnclosingRanges returns the slices of a thread's tracks that are running at a given time, as a call stack.
// Created for one report and selected track kinds; one thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

class EnclosingRanges {
  public:
    // The report must outlive this object and must not change. O(tracks).
    EnclosingRanges(const Report& report, std::span<const TrackKind> kinds);

    // Returns the slices [start, end) on these tracks of a thread that contain the given time, innermost
    // (latest start) first. At most kMaxDepth ranges per track are examined; outer ranges beyond that are
    // omitted. O(tracks of the thread * log slices + depth). The view is valid until the next call.
    static constexpr int kMaxDepth = 1024;
    std::span<const SliceId> at(ThreadId thread, int64_t time_ns);

  private:
    void addTrack(const Track& track, int64_t time_ns);

    const Report& m_report;
    std::map<ThreadId, std::vector<TrackId>> m_tracks;
    std::vector<SliceId> m_found;
};

} // namespace lockstep
