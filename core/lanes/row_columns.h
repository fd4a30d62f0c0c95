// SPDX-License-Identifier: Apache-2.0
// RowColumns: the slices in a drawing row, the intervals in a busy row, or the projections of ranges, as
// columns. A view; valid as long as the columns. Thread: any.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/row_kind.h"

namespace lockstep {

// Starts, durations and, unless consecutive, row numbers of the slices in a row. Sorted by time, disjoint.
struct RowColumns {
    static constexpr uint32_t kBlock = 8; // slices per block

    const int64_t* start_ns = nullptr;
    const int64_t* duration_ns = nullptr;
    const SliceCategory* category = nullptr; // nullptr if every slice is `compute`
    const uint32_t* index = nullptr;         // maps positions to rows; nullptr if position = row
    uint32_t count = 0;
    const SliceId* slice = nullptr; // by position: the slice shown for a row; nullptr if rows are slices

    uint32_t rowAt(uint32_t i) const { return index != nullptr ? index[i] : i; }
};

} // namespace lockstep
