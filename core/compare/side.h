// SPDX-License-Identifier: Apache-2.0
// Sides of a comparison: the parts of a scene that can be compared, a side as it is compared, and its steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/search/process_steps.h"

namespace lockstep {

// ComparedSide: one side of a comparison: the visible reports in its scene. pairSlices() needs only scene and
// step.
struct ComparedSide {
    ScenePtr scene;
    std::optional<int64_t> step; // only this step; nullopt: all steps, paired by number if possible,
                                 // otherwise in order
    std::string title = {};      // "step 2 · baseline"
    std::string facts = {};      // "NVIDIA H100 · driver 550.54": as the files record them
    TimeRange range = {}; // on the aligned axis: the range of the step, or of the whole scene if no step
                          // is chosen
};

// A part of a scene that can form one side of a comparison: everything, a run or folder, a report or a user's
// choice, and the steps in it. Computed off the UI thread; the user chooses among these sides. Value type.
struct CandidateSide {
    enum class Kind : uint8_t { all, run, folder, report, chosen };

    Kind kind = Kind::all;
    std::string name;               // name of the run, folder or file; "" for the side with all reports and
                                    // for the user's choice
    std::vector<ReportKey> reports; // visible reports, ascending
    std::vector<int64_t> steps;     // marked or recorded steps, sorted by start
    std::vector<std::pair<std::string, int>> workers; // role ("" if unknown) and known rank; ascending

    // Returns whether both sides have the same workers, and the same steps if any are known. If they do not,
    // the sides are different parts of the same run.
    bool repeats(const CandidateSide& other) const;
};

// Returns the sides that can be compared. The first side consists of all reports. The runs follow if there
// are several; otherwise the folders follow if there are several. The individual reports follow if there are
// only a few, and then the user's choice, unless it equals one of the other sides. Requested reports that the
// scene does not show are excluded. Empty for a scene without reports. The only possible error is `canceled`.
Result<std::vector<CandidateSide>> candidateSides(const Scene& scene, const Progress& progress,
                                                  const std::vector<std::vector<ReportKey>>& requested = {});

// Returns the step that contains a time on the aligned axis, in any process. If several steps contain it,
// returns the lowest step number.
std::optional<int64_t> stepAt(const Scene& scene, TraceTime at);

// Returns a scene with only these reports, with the same alignment, or the given scene itself if it shows no
// other reports. Reports that the scene does not show are ignored. The only possible error is `canceled`.
Result<ScenePtr> sceneOfReports(const ScenePtr& scene, const std::vector<ReportKey>& reports,
                                const Progress& progress);

// SideSteps: maps slices to steps, and steps to time ranges, on one side of a comparison. Created once by
// pairSlices(); read by its workers.
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
