// SPDX-License-Identifier: Apache-2.0
#include "app/cli/picture_request.h"

#include "app/cli/go_to.h"
#include "core/compare/slice_pairs.h"

namespace lockstep {

Result<PictureRequest> pictureRequest(const CommandLine& line, const std::string& what, PictureFormat format,
                                      const Scene& scene, const Scene* baseline, const MarkList& marks,
                                      Console& console, const Progress& progress)
{
    const auto range = LOCKSTEP_TRY(pictureRange(line, scene, marks));
    PictureRequest out{makeScene(scene.open, scene.alignment, progress.workers()),
                       format,
                       line.width,
                       line.height,
                       line.isDark,
                       line.lanes,
                       line.isFolded,
                       what.starts_with("memory"),
                       what == "memory:stack" ? MemoryLook::stack : MemoryLook::category,
                       range,
                       progress.workers()};
    if (baseline == nullptr) return out;
    if (out.isMemoryOnly) {
        console.notice(what + ": drawn without the baseline; only the timeline supports a baseline");
        return out;
    }
    out.baseline = makeScene(baseline->open, baseline->alignment, progress.workers());
    out.pairs =
        std::make_shared<SlicePairs>(LOCKSTEP_TRY(pairSlices({out.baseline, {}}, {out.scene, {}}, progress)));
    console.notice(what + ": A is the baseline; " + slicePairsText(*out.pairs));
    for (const std::string& note : out.pairs->notes)
        console.notice(what + ": " + note);
    return out;
}

} // namespace lockstep
