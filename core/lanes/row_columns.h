// SPDX-License-Identifier: Apache-2.0
// RowColumns: the slices in a drawing row or a busy row, as columns of their report. A view; valid as long as
// the columns. Thread: any.
#pragma once

#include <cstdint>

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

    uint32_t rowAt(uint32_t i) const { return index != nullptr ? index[i] : i; }
};

} // namespace lockstep
