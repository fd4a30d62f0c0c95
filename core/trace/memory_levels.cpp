// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_levels.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr int64_t kMaxLevel_bytes = int64_t(1) << 49; // equal to kLargestSize_bytes of the replay

} // namespace

size_t MemoryLevelHistory::group(uint32_t subject, StringId name)
{
    Group group;
    group.subject = subject;
    group.stack = m_history.stack({m_history.frame(name)});
    m_groups.push_back(std::move(group));
    return m_groups.size() - 1;
}

void MemoryLevelHistory::set(size_t group, int64_t time_ns, int64_t level_bytes)
{
    change(group, time_ns,
           std::clamp(level_bytes, -kMaxLevel_bytes, kMaxLevel_bytes) - m_groups[group].level_bytes);
}

void MemoryLevelHistory::change(size_t number, int64_t time_ns, int64_t change_bytes)
{
    Group& group = m_groups[number];
    const int64_t wanted = std::clamp(change_bytes, -2 * kMaxLevel_bytes, 2 * kMaxLevel_bytes);
    const int64_t level = std::clamp<int64_t>(group.level_bytes + wanted, 0, kMaxLevel_bytes);
    if (level != group.level_bytes + wanted || wanted != change_bytes) {
        m_report.notes.add("memory.level_out_of_range", NoteSeverity::warning,
                           "memory totals below zero or above the limit: shown as the nearest possible value",
                           std::to_string(change_bytes) + " B at " + std::to_string(time_ns) + " ns");
    }
    int64_t change = level - group.level_bytes;
    group.level_bytes = level;
    if (change > 0) return addBlock(group, time_ns, static_cast<uint64_t>(change));
    while (change < 0) {
        const auto wantedSize = static_cast<uint64_t>(-change);
        // Takes a block of the same size: this block or an equivalent one.
        auto block = group.blocks.find(wantedSize);
        if (block == group.blocks.end()) block = std::prev(group.blocks.end());
        const uint64_t size = block->first;
        removeBlock(group, time_ns, block);
        if (size > wantedSize) addBlock(group, time_ns, size - wantedSize);
        change += static_cast<int64_t>(std::min(size, wantedSize));
    }
}

void MemoryLevelHistory::addBlock(Group& group, int64_t time_ns, uint64_t size_bytes)
{
    const uint64_t address = m_next;
    m_next += size_bytes; // blocks never overlap
    group.blocks.emplace(size_bytes, address);
    addRow(group, time_ns, MemoryAction::alloc, address, size_bytes);
}

void MemoryLevelHistory::removeBlock(Group& group, int64_t time_ns,
                                     std::multimap<uint64_t, uint64_t>::iterator block)
{
    addRow(group, time_ns, MemoryAction::freeCompleted, block->second, block->first);
    group.blocks.erase(block);
}

void MemoryLevelHistory::addRow(const Group& group, int64_t time_ns, MemoryAction action, uint64_t address,
                                uint64_t size)
{
    MemoryRow row;
    row.time_ns = time_ns;
    row.order = m_order++;
    row.address = address;
    row.size_bytes = size;
    row.action = action;
    row.reserved_bytes = group.reserved_bytes;
    row.subject = group.subject;
    if (action == MemoryAction::alloc) row.stack = group.stack;
    m_history.add(row);
}

} // namespace lockstep
