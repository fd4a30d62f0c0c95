// SPDX-License-Identifier: Apache-2.0
// SameName: the slices with exactly the same name as a given slice, in the slice's lane, on its rank or in
// all reports. The timeline's slice menu shows the number of slices for each of these choices, and selects
// the slices of the chosen one. Value types; pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

// Specifies where to search for slices with the same name: in the lane including all its captures, on the
// rank (in the process if the rank is unknown), or in all visible reports.
enum class NameScope : uint8_t { lane, rank, everywhere };

struct NameCounts {
    uint64_t lane = 0, rank = 0, everywhere = 0;

    friend bool operator==(const NameCounts&, const NameCounts&) = default;
};

// Counts slices with exactly this name. O(tracks * names in a block), independent of the number of slices.
NameCounts countSameName(const Scene& scene, SliceRef of);

// Maximum number of slices that can be selected. Each takes 8 bytes.
inline constexpr uint64_t kMaxSameName = 10'000'000;

struct SameNameSlices {
    SliceList slices;   // by report and row; nullptr: none
    uint64_t count = 0; // total number of slices with the name; larger than the size of `slices` if the limit
                        // is reached
};
// Returns the first slices in the order of reports and lanes, at most `most`. The only possible error is
// `canceled`. O(slices in blocks with the name).
Result<SameNameSlices> slicesOfSameName(const Scene& scene, SliceRef of, NameScope scope, uint64_t most,
                                        const Progress& progress);

// Returns the number of slices in visible reports with one of these names. O(reports * names).
uint64_t countNamed(const Scene& scene, const std::vector<std::string>& names);

} // namespace lockstep
