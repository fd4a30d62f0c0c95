// SPDX-License-Identifier: Apache-2.0
// SliceChain: the causes and effects of a slice: the API call, the work it launched, the collective to which
// that work belongs, and the parts of this collective on the other ranks. Computed for the timeline, which
// highlights these slices and dims all others. Value type; pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SliceChain {
    SliceRef of;
    std::vector<SliceRef> line; // the chain of first causes, ending with `of`, followed by the chain of first
                                // effects
    SliceList slices;           // all direct and indirect causes and effects, including the parts of
                                // collectives
    size_t ranks = 0;           // number of reports that contain a part of the collectives
    SliceRef cause;             // the part for which the others waited; invalid if there is none or if it is
                                // unknown
    bool isCut = false;         // the chain has more than kMaxChain slices and was cut off

    bool isAlone() const { return slices == nullptr || slices->size() < 2; }
};

inline constexpr size_t kMaxChain = 4'096;

// `of` must belong to a visible report. O(slices of the chain * log links + collectives).
SliceChain chainOf(const Scene& scene, SliceRef of);

// Returns "cudaLaunchKernel → ncclDevKernel_AllReduce → collective on 64 ranks, rank 7 arrived last".
std::string chainText(const Scene& scene, const SliceChain& chain);

} // namespace lockstep
