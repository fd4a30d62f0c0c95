// SPDX-License-Identifier: Apache-2.0
#include "core/memory/snapshot_difference.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "core/memory/allocations.h"

namespace lockstep {

namespace {

// Returns a stack as a string, innermost frame first. Equal stacks give equal strings, regardless of the
// file.
std::string keyOf(const MemoryView& view, MemoryStackId stack, bool lines)
{
    std::string key;
    for (const MemoryFrameId id : view.snapshot.stack(stack)) {
        const MemoryFrame& frame = view.snapshot.frames[id.value];
        key += view.strings.at(frame.file);
        key += '\0';
        key += view.strings.at(frame.function);
        key += '\0';
        if (lines) key += std::to_string(frame.line);
        key += '\1';
    }
    return key;
}

} // namespace

SnapshotDifference snapshotDifference(const MemoryView& before, const MemoryView& after, bool lines)
{
    SnapshotDifference out;
    out.before = before.device.levelsAt(before.moment);
    out.after = after.device.levelsAt(after.moment);
    std::unordered_map<std::string, size_t> byKey;
    const auto rowOf = [&](const MemoryView& view, MemoryStackId stack) -> StackChange& {
        const auto [at, isNew] = byKey.try_emplace(keyOf(view, stack, lines), out.stacks.size());
        if (isNew) out.stacks.emplace_back();
        return out.stacks[at->second];
    };
    for (const StackLevel& level : stackLevels(after.device, after.moment)) {
        StackChange& change = rowOf(after, level.stack);
        if (!change.after.isValid()) change.after = level.stack;
        change.after_bytes += level.size_bytes;
        change.afterBlocks += level.blocks;
    }
    for (const StackLevel& level : stackLevels(before.device, before.moment)) {
        StackChange& change = rowOf(before, level.stack);
        if (!change.before.isValid()) change.before = level.stack;
        change.before_bytes += level.size_bytes;
        change.beforeBlocks += level.blocks;
    }
    std::ranges::stable_sort(out.stacks, [](const StackChange& a, const StackChange& b) {
        return std::abs(a.change_bytes()) > std::abs(b.change_bytes());
    });
    return out;
}

MemoryImbalance memoryImbalance(std::span<const MemoryView> views)
{
    MemoryImbalance out;
    if (views.empty()) return out;
    __int128 sum = 0;
    for (size_t i = 0; i < views.size(); ++i) {
        out.ranks.push_back({i, views[i].device.peaks, 0});
        sum += views[i].device.peaks.active.levels.active;
    }
    const auto peakOf = [](const RankMemory& rank) { return rank.peaks.active.levels.active; };
    std::ranges::stable_sort(out.ranks, std::greater<>(), peakOf);
    const double mean = static_cast<double>(sum) / static_cast<double>(views.size());
    out.mean_bytes = static_cast<int64_t>(sum / static_cast<__int128>(views.size()));
    out.spread_bytes = peakOf(out.ranks.front()) - peakOf(out.ranks.back());
    for (RankMemory& rank : out.ranks)
        rank.excessOverMean = mean > 0 ? static_cast<double>(peakOf(rank)) / mean - 1 : 0;
    out.excessOverMean = out.ranks.front().excessOverMean;
    return out;
}

} // namespace lockstep
