// SPDX-License-Identifier: Apache-2.0
// Joins GPU rows with the API calls that launched them, by correlation ID within one process. Used by
// ReportFreezer.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "core/trace/link_table.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

struct CorrelatedSlice {
    uint32_t correlation;
    SliceId slice;

    friend auto operator<=>(const CorrelatedSlice&, const CorrelatedSlice&) = default;
};

// Adds a launch link from each cause to each effect with the same correlation ID. `causes` must be sorted.
// `effects` may be in any order, but processing is fastest if they are in the order of their calls. An effect
// is linked with at most 64 causes, because more causes indicate a corrupt file, for which the number of
// links would be enormous. `file` receives links that do not fit in memory; it may be null. Returns the
// number of effects that had more causes.
uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file);

} // namespace lockstep
