// SPDX-License-Identifier: Apache-2.0
// Small memory snapshots, created in memory entry by entry, for tests of replays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep::test {

inline constexpr uint64_t kMebi = 1 << 20;

class SnapshotMaker {
  public:
    SnapshotMaker() { m_out->devices = {0}; }

    SnapshotMaker& entry(MemoryAction action, uint64_t address, uint64_t size_bytes, uint32_t stack = 0)
    {
        MemoryEntryTable& entries = m_out->entries;
        entries.device.push_back(0);
        entries.action.push_back(action);
        entries.address.push_back(address);
        entries.size_bytes.push_back(size_bytes);
        entries.stream.push_back(0);
        entries.time_ns.push_back(static_cast<int64_t>(entries.time_ns.size()) * 1000);
        entries.stack.push_back(stack < m_out->stackCount() ? MemoryStackId(stack) : MemoryStackId());
        return *this;
    }
    SnapshotMaker& alloc(uint64_t address, uint64_t size_bytes, uint32_t stack = 0)
    {
        return entry(MemoryAction::alloc, address, size_bytes, stack);
    }
    SnapshotMaker& free(uint64_t address, uint64_t size_bytes)
    {
        entry(MemoryAction::freeRequested, address, size_bytes);
        return entry(MemoryAction::freeCompleted, address, size_bytes);
    }
    // Adds a stack of these frame names, innermost first; frames and strings are in `strings`.
    uint32_t stack(const std::vector<std::string>& names)
    {
        for (const std::string& name : names) {
            m_out->stackFrames.push_back(MemoryFrameId(m_out->frames.size()));
            m_out->frames.push_back(
                {m_strings.intern(name), m_strings.intern(name + ".py"), 7, StringId(0u)});
        }
        m_out->stackBegin.push_back(static_cast<uint32_t>(m_out->stackFrames.size()));
        return static_cast<uint32_t>(m_out->stackCount() - 1);
    }
    SnapshotMaker& segment(uint64_t address, uint64_t size_bytes, bool isExpandable = false)
    {
        MemorySegmentTable& s = m_out->segments;
        s.device.push_back(0);
        s.address.push_back(address);
        s.total_bytes.push_back(size_bytes);
        s.allocated_bytes.push_back(0);
        s.active_bytes.push_back(0);
        s.requested_bytes.push_back(0);
        s.stream.push_back(0);
        s.pool.push_back({0, 0});
        s.type.push_back(StringId(0u));
        s.isExpandable.push_back(isExpandable);
        s.stack.push_back(MemoryStackId());
        s.firstBlock.push_back(static_cast<uint32_t>(m_out->blocks.size()));
        s.blockCount.push_back(0);
        return *this;
    }
    // In the latest segment.
    SnapshotMaker& block(uint64_t address, uint64_t size_bytes, BlockState state = BlockState::allocated)
    {
        m_out->blocks.address.push_back(address);
        m_out->blocks.size_bytes.push_back(size_bytes);
        m_out->blocks.requested_bytes.push_back(size_bytes);
        m_out->blocks.state.push_back(state);
        m_out->blocks.stack.push_back(MemoryStackId());
        ++m_out->segments.blockCount.back();
        return *this;
    }

    MemorySnapshot& snapshot() { return *m_out; }
    const StringPool& strings() const { return m_strings; }
    AllocatorReplay replay(const AllocatorRules& rules = {}) const
    {
        return replayAllocator(m_out, rules, Progress()).value();
    }

  private:
    std::shared_ptr<MemorySnapshot> m_out = std::make_shared<MemorySnapshot>();
    StringPool m_strings;
};

inline uint64_t noteCount(const AllocatorReplay& replay, std::string_view kind)
{
    for (const ImportNote& note : replay.notes.all()) {
        if (note.kind == kind) return note.count;
    }
    return 0;
}

} // namespace lockstep::test
