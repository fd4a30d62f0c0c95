// SPDX-License-Identifier: Apache-2.0
// The order of one track's rows: start, then longest first, then place in the file. What is sorted are
// 16-byte references; rows stay where they are, or at least in their chunk of 2 MiB. Used by ReportFreezer.
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
// Rows on disk that are in no order are sorted within each chunk and the chunks merged, so that whoever
// follows the references reads a page of each chunk at a time: with references into rows that lie anywhere, 4
// million of them and a memory limit, each row would be a page brought back. In no order, or none, once
// progress.check() fails.
Column<OrderedRow> orderedRows(std::span<SliceBatch::Rows* const> parts, const Progress& progress);

} // namespace lockstep
