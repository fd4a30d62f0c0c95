// SPDX-License-Identifier: Apache-2.0
// SameName: the slices that are called exactly as one of them, by lane, by rank and everywhere: how many,
// which the timeline's slice menu says before anyone chooses, and which. Values; pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

// Where slices of one name are looked for: the lane of one of them with all captures on it, everything of its
// rank (its process where no rank is known), all shown reports.
enum class NameScope : uint8_t { lane, rank, everywhere };

struct NameCounts {
    uint64_t lane = 0, rank = 0, everywhere = 0;

    friend bool operator==(const NameCounts&, const NameCounts&) = default;
};

// By exactly the name that it has. O(tracks, and names of a block for each), nothing of slices.
NameCounts countSameName(const Scene& scene, SliceRef of);

// Most that are selected at once: 8 bytes each.
inline constexpr uint64_t kMostSameName = 10'000'000;

struct SameNameSlices {
    SliceList slices;   // by report and row; nullptr: none
    uint64_t count = 0; // all there are; more than slices holds where that is full
};
// At most `most` of them: the first of the reports and lanes as they are listed. canceled. O(slices of blocks
// with the name).
Result<SameNameSlices> slicesOfSameName(const Scene& scene, SliceRef of, NameScope scope, uint64_t most,
                                        const Progress& progress);

// How many slices of shown reports have one of these names. O(reports * names).
uint64_t countNamed(const Scene& scene, const std::vector<std::string>& names);

} // namespace lockstep
