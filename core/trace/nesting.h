// SPDX-License-Identifier: Apache-2.0
// Depth and parent of the slices of one track. Pure; called once per track when a report is frozen.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/slice_table.h"

namespace lockstep {

struct Nesting {
    std::span<SliceId> parent; // out: innermost slice that contains this one, invalid at the top
    std::span<uint16_t> depth; // out: drawing row; slices of equal depth never overlap
};

// start_ns ascending, equal starts longest first; all spans of equal length, row i is SliceId(first + i).
// A slice that overlaps its neighbour without lying inside it spills to the next free row below its parent's.
// Returns the number of rows used (largest depth + 1; 0 for none). Where more than 65,535 would be needed the
// last row takes the rest and *overfull counts the slices put there. O(n log depth).
size_t nestSlices(std::span<const int64_t> start_ns, std::span<const int64_t> duration_ns, SliceId first,
                  const Nesting& out, uint64_t* overfull = nullptr);

} // namespace lockstep
