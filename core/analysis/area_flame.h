// SPDX-License-Identifier: Apache-2.0
// AreaFlame: arranges the time in a selection as a tree for a flame graph, merged over lanes and ranks by
// name. GPU work is placed under the slices that were running on the launching thread at the time of the
// launch. Other slices are placed under the slices that contain them in their lane. The size of a frame is
// the time of its own slices plus everything below it; the root's size is the total. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/area_rows.h"
#include "core/base/flame_layout.h"

namespace lockstep {

// ranges: only GPU work, placed under NVTX ranges and operators; same as `stack` if the selection contains
// neither ranges nor operators. stack: all slices; GPU work is placed under everything that was running on
// its launching thread.
enum class FlameBy : uint8_t { ranges, stack };

struct AreaFlame {
    std::vector<FlameFrame> frames;        // sizes in ns, counts in slices; root first, siblings by size,
                                           // then by name
    std::vector<std::string> names;        // by frame; empty for the root
    std::vector<SliceCategory> categories; // by frame: category of the first slice found for the frame
    bool isOfWork = false;                 // only GPU work was counted
    uint64_t excluded = 0;                 // number of other slices, which are not counted because only GPU
                                           // work is
    uint64_t unlaunched = 0;               // GPU work without a recorded launch, placed at the root
};

// isInverted: the tree starts at each slice and continues outward to the slices that contain it. Cost:
// O(slices * depth) on all workers. The only possible error is `canceled`.
Result<AreaFlame> areaFlame(const Scene& scene, const AreaQuery& query, FlameBy by, bool isInverted,
                            const Progress& progress);

// Search results by frame: whether the search string occurs in the name of the frame or of one of its
// ancestors. Case-insensitive.
struct FlameHits {
    std::vector<bool> isHit;         // the search string occurs in the frame's own name
    std::vector<int64_t> found;      // size (or count) of the hits within the frame's subtree; nested hits
                                     // are counted once
    uint64_t frames = 0;             // number of frames that are hits
    int64_t found_all = 0, size = 0; // the same totals for the root
};
FlameHits flameHits(const AreaFlame& flame, std::string_view text, bool isByCount);

} // namespace lockstep
