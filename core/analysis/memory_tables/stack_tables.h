// SPDX-License-Identifier: Apache-2.0
// Tables of one device's replay, or of several, for the memory panel: allocations by stack, leak suspects,
// two moments compared, ranks compared, segments that are held for little, and the allocator's settings. Pure
// functions of replays; any thread. Rows are in the order that is most worth reading.
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

// stackText() of core/memory as one line for a screen: of a path what is in its packages folder, else the
// last three parts; no control characters, however long the names of a file are.
std::string shortStackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                           size_t most);

// What each stack allocated: count, bytes, share of the peak. O(entries + blocks).
TablePtr stackUseTable(const MemoryView& view);
// Stacks that grow over the steps, and what is never freed. rule: from when a slope is a leak.
TablePtr leakSuspectTable(const MemoryView& view, std::span<const MemoryMoment> steps, const TrendRule& rule);
// What grew, by stack.
TablePtr differenceTable(const MemoryView& before, const MemoryView& after);
// Peaks by rank. names: one for each view.
TablePtr imbalanceTable(std::span<const MemoryView> views, std::span<const std::string> names);
// Free memory that blocks keep from being given back at the view's moment, by segment.
TablePtr pinnedSegmentTable(const MemoryView& view);
// How free memory was scattered at `columns` moments of the history. canceled is the only error.
Result<TablePtr> fragmentationTable(const MemoryView& view, size_t columns, const Progress& progress);
// Name and value, as the file says.
TablePtr allocatorSettingTable(std::span<const Fact> facts);

} // namespace lockstep
