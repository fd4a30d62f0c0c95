// SPDX-License-Identifier: Apache-2.0
// AreaFlame: the time of a selection as a tree for a flame graph, merged over lanes and ranks by name. GPU
// work lies under what ran on its thread when it was launched, other slices under those that contain them in
// their lane; each frame is what its slices took themselves and all below it, so that the root is everything.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/area_rows.h"
#include "core/base/flame_layout.h"

namespace lockstep {

// ranges: GPU work alone under NVTX ranges and operators; where the selection holds none, as stack. stack:
// all slices; GPU work under everything that its thread ran.
enum class FlameBy : uint8_t { ranges, stack };

struct AreaFlame {
    std::vector<FlameFrame> frames;        // ns and slices; the root first, siblings by size, then by name
    std::vector<std::string> names;        // by frame; the root's is empty
    std::vector<SliceCategory> categories; // by frame: of a slice of it that was met first
    bool isOfWork = false;                 // only GPU work was counted ...
    uint64_t leftOut = 0;                  // ... and so many other slices not
    uint64_t unlaunched = 0;               // GPU work that no call is known of: it lies under the root
};

// isInverted: from each slice outwards to what it lies in. O(slices * depth) on all workers. canceled.
Result<AreaFlame> areaFlame(const Scene& scene, const AreaQuery& query, FlameBy by, bool isInverted,
                            const Progress& progress);

// What a search finds, by frame: text in its name or in that of a frame above it, upper and lower case alike.
struct FlameHits {
    std::vector<bool> isHit;         // its own name
    std::vector<int64_t> found;      // of its size (or count), what lies in hits; a hit in a hit counts once
    uint64_t frames = 0;             // that are hits
    int64_t found_all = 0, size = 0; // of the root
};
FlameHits flameHits(const AreaFlame& flame, std::string_view text, bool isByCount);

} // namespace lockstep
