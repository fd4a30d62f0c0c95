// SPDX-License-Identifier: Apache-2.0
// Orders the rows of one track by start, then longest first, then position in the file. Sorts 16-byte
// references; rows are not moved, except within their chunk if they are on disk. Used by ReportFreezer.
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

// Returns references to all rows of the given parts of one track, in order. If each part is in ascending file
// order (as it is if workers take windows in turn), the parts are first merged by file order, which usually
// yields chronological order. Shuffled rows on disk are sorted within each chunk, then the chunks are merged.
// Every chunk is then read sequentially when the references are followed. Otherwise, under a memory limit,
// almost every row would cause a page fault. After progress.check() fails, the result may be unsorted or
// empty.
Column<OrderedRow> orderedRows(std::span<SliceBatch::Rows* const> parts, const Progress& progress);

} // namespace lockstep
