// SPDX-License-Identifier: Apache-2.0
// CachingAllocator is a small model of PyTorch's caching allocator that records what PyTorch records: history
// entries, and the segments and blocks of a dump. It also records its true levels after every entry, which
// PyTorch does not. Written from the description of the allocator, independently of the replay that is tested
// with it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "core/memory/block_life.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep::test {

struct AllocatorModel {
    bool isExpandable = false;
    int32_t device = 0;
    uint64_t padding_bytes = 0;
};

class CachingAllocator {
  public:
    explicit CachingAllocator(AllocatorModel model = {}) : m_model(model) {}

    // Returns the address of the block. uses: other streams use it, so that a free of it stays pending.
    uint64_t allocate(uint64_t requested_bytes, uint64_t stream = 0, uint64_t pool = 0, uint32_t stack = 0);
    // Both functions need an address that allocate() returned and that is not freed; complete() a pending
    // one.
    void free(uint64_t address, bool staysPending = false);
    void complete(uint64_t address);
    void emptyCache();
    void takeSnapshot();
    void failToAllocate(uint64_t requested_bytes);

    // True values: after entry i, levels()[i + 1]; live addresses are those of active blocks.
    const std::vector<MemoryLevels>& levels() const { return m_levels; }
    std::vector<uint64_t> allocated() const; // allocated addresses
    std::vector<uint64_t> pending() const;
    const std::vector<std::vector<uint64_t>>& activeAddresses() const { return m_active; } // as levels()

    // Returns what torch would dump now: the last `kept` entries, and all segments. Stack k has frames k and
    // 0.
    std::shared_ptr<const MemorySnapshot> dump(size_t kept) const;
    size_t entryCount() const { return m_levels.size() - 1; }

  private:
    struct Piece {
        uint64_t size_bytes = 0, requested_bytes = 0;
        BlockState state = BlockState::inactive;
        uint32_t stack = 0;
    };
    struct Segment {
        uint64_t size_bytes = 0, stream = 0, pool = 0;
        bool isSmall = false;
        uint32_t stack = 0;
        std::map<uint64_t, Piece> pieces; // by address; they fill the segment
    };
    struct Entry {
        MemoryAction action;
        uint64_t address, size_bytes, stream, pool;
        uint32_t stack;
        int64_t time_ns;
    };

    uint64_t reserve(uint64_t rounded_bytes, uint64_t stream, uint64_t pool, bool isSmall, uint32_t stack);
    uint64_t extend(uint64_t rounded_bytes, uint64_t stream, uint64_t pool, bool isSmall, uint32_t stack);
    uint64_t freeAddressFor(uint64_t size_bytes);
    Segment& segmentOf(uint64_t address);
    Piece& pieceAt(uint64_t address) { return segmentOf(address).pieces.at(address); }
    void joinFree(Segment& segment, uint64_t address);
    void unmapPages(uint64_t segment);
    void record(MemoryAction action, uint64_t address, uint64_t size_bytes, uint64_t stream,
                uint32_t stack = 0);

    AllocatorModel m_model;
    std::map<uint64_t, Segment> m_segments;
    std::vector<Entry> m_entries;
    std::vector<MemoryLevels> m_levels{MemoryLevels{}};
    std::vector<std::vector<uint64_t>> m_active{{}};
    MemoryLevels m_now;
    std::map<uint64_t, int> m_activeNow;
    int64_t m_time_ns = 1'700'000'000'000'000'000;
};

// Simulates an allocator with `steps` random calls, drawn with the generator.
CachingAllocator randomAllocator(AllocatorModel model, size_t steps, std::mt19937_64& random);

} // namespace lockstep::test
