// SPDX-License-Identifier: Apache-2.0
// Joins GPU rows with the API calls that caused them, by correlation id within one process. Used by
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

// Adds a launch link from each cause to each effect of equal correlation. causes are sorted; effects may come
// in any order and are fastest in that of their calls. An effect is linked with at most 64 causes: more are a
// damaged file, whose product would not end. file: where links go that are too many for memory, or null.
// Returns how many effects had more.
uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file);

} // namespace lockstep
