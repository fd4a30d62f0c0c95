// SPDX-License-Identifier: Apache-2.0
// ComparableSides: what of a scene can be half of a comparison: all of it, each of its runs or folders, each
// report, what a person asked for, and the steps of each. Made off the UI thread for the choice that a person
// is offered; values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct ComparableSide {
    enum class Kind : uint8_t { all, run, folder, report, chosen };

    Kind kind = Kind::all;
    std::string name;                                 // of the run, folder or file; "" for all and chosen
    std::vector<ReportKey> reports;                   // shown ones, ascending
    std::vector<int64_t> steps;                       // that they mark or state, by their begin
    std::vector<std::pair<std::string, int>> workers; // role, "" where unknown, and known rank; ascending

    // They tell of the same workers, and of the same steps where they know any: one is no part of a run whose
    // other part is the other.
    bool repeats(const ComparableSide& other) const;
};

// All first, then the runs where there are several, else the folders where there are several, then the
// reports where there are a few; what is asked at the end where none of these is it. Asked reports that
// the scene does not show are left out. Empty for a scene that shows nothing; canceled.
Result<std::vector<ComparableSide>> comparableSides(const Scene& scene, const Progress& progress,
                                                    const std::vector<std::vector<ReportKey>>& asked = {});

// The step of any process that a moment of the aligned axis lies in; of several the lowest.
std::optional<int64_t> stepAt(const Scene& scene, TraceTime at);

// The scene of these reports alone, placed as they are; the scene itself where it shows no others. Those that
// it does not show are left out. canceled.
Result<ScenePtr> sceneOfReports(const ScenePtr& scene, const std::vector<ReportKey>& reports,
                                const Progress& progress);

} // namespace lockstep
