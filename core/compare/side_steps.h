// SPDX-License-Identifier: Apache-2.0
// SideSteps: maps slices to steps, and steps to time ranges, in one pane of a comparison. Created once by
// pairSlices(); read by its workers.
#pragma once

#include <map>

#include "core/compare/slice_pairs.h"
#include "core/search/process_steps.h"

namespace lockstep {

class SideSteps {
  public:
    explicit SideSteps(const Scene& scene);

    // Returns the aligned range of each step over all processes.
    const std::map<int64_t, TimeRange>& ranges() const { return m_ranges; }
    // Returns whether the track's process has marked or recorded steps.
    bool isStepped(TrackRef track) const;
    std::optional<int64_t> stepOf(TrackRef track, SliceId slice) const;
    // Returns whether the slice is the range that marks its step. Such a range has a different name in every
    // step: "ProfilerStep#3".
    bool isNamedAsStep(TrackRef track, SliceId slice) const;

  private:
    struct Of {
        ProcessSteps marked;
        std::optional<int64_t> stated; // set if the whole report is this step
    };
    const Of& of(TrackRef track) const;

    const Scene& m_scene;
    std::map<std::pair<ReportKey, ProcessId>, Of> m_of;
    std::map<int64_t, TimeRange> m_ranges;
};

} // namespace lockstep
