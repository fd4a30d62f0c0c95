// SPDX-License-Identifier: Apache-2.0
// SideSteps: of one half of a comparison, which step each of its slices is of and where its steps lie. Made
// once by pairSlices(); read by its workers.
#pragma once

#include <map>

#include "core/timeline/process_steps.h"
#include "core/timeline/slice_pairs.h"

namespace lockstep {

class SideSteps {
  public:
    explicit SideSteps(const Scene& scene);

    // Of all processes, aligned.
    const std::map<int64_t, TimeRange>& ranges() const { return m_ranges; }
    // Whether the track's process marks or states any.
    bool isStepped(TrackRef track) const;
    std::optional<int64_t> stepOf(TrackRef track, SliceId slice) const;
    // Whether it is called as the range that marks the step it is of: "ProfilerStep#3", which another step is
    // not called.
    bool isNamedAsStep(TrackRef track, SliceId slice) const;

  private:
    struct Of {
        ProcessSteps marked;
        std::optional<int64_t> stated; // the whole report is that step
    };
    const Of& of(TrackRef track) const;

    const Scene& m_scene;
    std::map<std::pair<ReportKey, ProcessId>, Of> m_of;
    std::map<int64_t, TimeRange> m_ranges;
};

} // namespace lockstep
