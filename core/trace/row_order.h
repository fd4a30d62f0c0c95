// SPDX-License-Identifier: Apache-2.0
// The order of one track's rows: start, then longest first, then place in the file. Rows stay where they are;
// what is sorted are 16-byte references. Used by ReportFreezer.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/progress.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

struct OrderedRow {
    int64_t start_ns;
    const SliceRow* row;
};

// References to all rows of the given parts of one track, in order. Parts that rise in file order (as workers
// that take windows in turn leave them) are first merged by it, which mostly puts them in time order already.
// In no order, or none, once progress.check() fails.
Column<OrderedRow> orderedRows(std::span<const SliceBatch::Rows* const> parts, const Progress& progress);

} // namespace lockstep
