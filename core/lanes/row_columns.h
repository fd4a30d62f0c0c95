// SPDX-License-Identifier: Apache-2.0
// RowColumns: where the slices of one drawing row lie in the columns of their report, or of a busy row. A
// view; valid as long as what it looks at. Any thread.
#pragma once

#include <cstdint>

#include "core/trace/row_kind.h"

namespace lockstep {

// Starts, durations and, where they are not one run of rows, row numbers of a row; in time order, never
// overlapping.
struct RowColumns {
    static constexpr uint32_t kBlock = 8; // slices that are summed up together

    const int64_t* start_ns = nullptr;
    const int64_t* duration_ns = nullptr;
    const SliceCategory* category = nullptr; // nullptr: every slice is `compute`
    const uint32_t* index = nullptr;         // position -> row; nullptr: position = row
    uint32_t count = 0;

    uint32_t rowAt(uint32_t i) const { return index != nullptr ? index[i] : i; }
};

} // namespace lockstep
