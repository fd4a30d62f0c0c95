// SPDX-License-Identifier: Apache-2.0
// Tables computed from the replay of one or several devices, for the GPU memory panel: allocations by stack,
// leak suspects, comparison of two points in time, comparison of ranks, segments pinned by small blocks, and
// allocator settings. The most relevant rows come first. Pure functions of replays. Thread: any.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/table.h"
#include "core/memory/leaks.h"
#include "core/memory/snapshot_difference.h"

namespace lockstep {

using TablePtr = std::shared_ptr<const Table>;

// Returns stackText() of core/memory as one line for display: a path is shortened to the part below its
// packages folder. A path without such a folder is shortened to its last three components. The line has no
// control characters and a limited length.
std::string shortStackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                           size_t most);

// The stack of a table row; invalid for memory without one. isBefore: of the earlier of two compared views.
struct RowStack {
    MemoryStackId stack;
    bool isBefore = false;
};

// The tables by stack contain only the innermost frames. If `stacks` is set, it receives the stack of each
// row.

// Returns the allocations for each stack: count, bytes, share of the peak. O(entries + blocks).
TablePtr stackUseTable(const MemoryView& view, std::vector<RowStack>* stacks = nullptr);
// Returns the stacks whose memory grows from step to step, and the unfreed memory. rule: defines the slope
// above which growth counts as a leak.
TablePtr leakSuspectTable(const MemoryView& view, std::span<const MemoryMoment> steps, const TrendRule& rule,
                          std::vector<RowStack>* stacks = nullptr);
// Returns the growth by stack.
TablePtr differenceTable(const MemoryView& before, const MemoryView& after,
                         std::vector<RowStack>* stacks = nullptr);
// Returns the peaks by rank. names: one per view.
TablePtr imbalanceTable(std::span<const MemoryView> views, std::span<const std::string> names);
// Returns the free memory in segments that cannot be released because they contain live blocks, at the view's
// moment.
TablePtr pinnedSegmentTable(const MemoryView& view);
// Returns the fragmentation of free memory at `columns` points in the history. The only possible error is
// `canceled`.
Result<TablePtr> fragmentationTable(const MemoryView& view, size_t columns, const Progress& progress);
// Returns names and values exactly as the file records them.
TablePtr allocatorSettingTable(std::span<const Fact> facts);

} // namespace lockstep
