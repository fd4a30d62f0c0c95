// SPDX-License-Identifier: Apache-2.0
// Computes depth and parent of the slices of one track. Pure; called once per track when a report is frozen.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/slice_table.h"

namespace lockstep {

struct Nesting {
    std::span<SliceId> parent; // output: innermost slice that contains this slice; invalid at the top
    std::span<uint16_t> depth; // output: drawing row; slices of equal depth never overlap
};

// Computes depth and parent of slices. start_ns must be ascending, with the longest slice first for equal
// starts. All spans have equal length, and row i is SliceId(first + i). A slice that overlaps its neighbor
// without being nested in it moves to the next free row below its parent's row. Returns the number of rows
// used (largest depth + 1; 0 without slices). If more than 65,535 rows would be needed, the last row receives
// all remaining slices, and their number is added to *overflowed. O(n log rows).
size_t nestSlices(std::span<const int64_t> start_ns, std::span<const int64_t> duration_ns, SliceId first,
                  const Nesting& out, uint64_t* overflowed = nullptr);

// Sets the parents of the slices of samples, whose depths are known. A slice that is no sample belongs to the
// sample in the nearest row above that contains it in time; its parent is the deepest slice in the rows from
// there to its own that contains it. Slices of a row must not overlap. O(n rows of a sample).
void nestSamples(std::span<const int64_t> start_ns, std::span<const int64_t> duration_ns,
                 std::span<const RowKind> kinds, SliceId first, const Nesting& out);

} // namespace lockstep
