// SPDX-License-Identifier: Apache-2.0
// The order of one track's rows: start, then longest first, then place in the file. Sorts
// 16-byte references; rows are not moved, except within their chunk if they are on disk. Used by
// ReportFreezer.
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
// Shuffled rows on disk are sorted within each chunk, then the chunks are merged. Following the references
// then reads every chunk sequentially; otherwise, under a memory limit, almost every row would be a page
// fault. After progress.check() fails, the result may be unsorted or empty.
Column<OrderedRow> orderedRows(std::span<SliceBatch::Rows* const> parts, const Progress& progress);

} // namespace lockstep
