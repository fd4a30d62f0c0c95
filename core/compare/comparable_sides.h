// SPDX-License-Identifier: Apache-2.0
// ComparableSides: the parts of a scene that can form one side of a comparison: everything, each run or
// folder, each report, a user's choice, and the steps in each. Computed off the UI thread; the user chooses
// among these sides. Value types.
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
    std::string name;               // name of the run, folder or file; "" for the side with all reports and
                                    // for the user's choice
    std::vector<ReportKey> reports; // visible reports, ascending
    std::vector<int64_t> steps;     // marked or recorded steps, sorted by start
    std::vector<std::pair<std::string, int>> workers; // role ("" if unknown) and known rank; ascending

    // Returns whether both sides have the same workers, and the same steps if any are known. If they do not,
    // the sides are different parts of the same run.
    bool repeats(const ComparableSide& other) const;
};

// Returns the sides that can be compared. The first side consists of all reports. The runs follow if there
// are several; otherwise the folders follow if there are several. The individual reports follow if there are
// only a few, and then the user's choice, unless it equals one of the other sides. Requested reports that the
// scene does not show are excluded. Empty for a scene without reports. The only possible error is `canceled`.
Result<std::vector<ComparableSide>> comparableSides(const Scene& scene, const Progress& progress,
                                                    const std::vector<std::vector<ReportKey>>& asked = {});

// Returns the step that contains a time on the aligned axis, in any process. If several steps contain it,
// returns the lowest step number.
std::optional<int64_t> stepAt(const Scene& scene, TraceTime at);

// Returns a scene with only these reports, with the same alignment, or the given scene itself if it shows no
// other reports. Reports that the scene does not show are ignored. The only possible error is `canceled`.
Result<ScenePtr> sceneOfReports(const ScenePtr& scene, const std::vector<ReportKey>& reports,
                                const Progress& progress);

} // namespace lockstep
