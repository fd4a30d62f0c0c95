// SPDX-License-Identifier: Apache-2.0
#include "core/memory/block_pairing.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/memory/allocator_rules.h"

namespace lockstep {

namespace {

// AddressMap maps addresses to row numbers, for millions of addresses. It uses open addressing with 16 bytes
// per slot; once it has grown, at least a quarter of the slots are used. A single replay fills and reads it
// on one thread; entries are never removed. The hash seed differs per process, so no file can force
// collisions.
class AddressMap {
  public:
    static constexpr uint32_t kNone = 0xFFFFFFFFu;

    AddressMap() : m_slots(64), m_seed(reinterpret_cast<uintptr_t>(m_slots.data())) {}

    // Returns a reference to the row of an address; kNone for a new address. The caller assigns the row
    // through the reference. The next call may invalidate the reference.
    uint32_t& operator[](uint64_t address)
    {
        if ((m_used + 1) * 2 > m_slots.size()) grow();
        Slot& slot = m_slots[find(address)];
        if (!slot.isUsed) {
            slot = {address, kNone, 1};
            ++m_used;
        }
        return slot.row;
    }
    // Returns the row of an address, or kNone if it was never added.
    uint32_t at(uint64_t address) const { return m_slots[find(address)].row; }
    size_t residentBytes() const { return m_slots.capacity() * sizeof(Slot); }

  private:
    struct Slot {
        uint64_t address = 0;
        uint32_t row = kNone;
        uint32_t isUsed = 0;
    };

    // Returns the slot that contains the address or would contain it.
    size_t find(uint64_t address) const
    {
        const size_t mask = m_slots.size() - 1;
        uint64_t hash = address + m_seed; // splitmix64
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
        hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
        size_t at = static_cast<size_t>(hash ^ (hash >> 31)) & mask;
        while (m_slots[at].isUsed && m_slots[at].address != address)
            at = (at + 1) & mask;
        return at;
    }
    void grow()
    {
        std::vector<Slot> old(m_slots.size() * 2);
        old.swap(m_slots);
        for (const Slot& slot : old) {
            if (slot.isUsed) m_slots[find(slot.address)] = slot;
        }
    }

    std::vector<Slot> m_slots;
    uint64_t m_seed;
    size_t m_used = 0;
};

constexpr uint32_t kNoRow = 0xFFFFFFFFu;
constexpr uint32_t kBeforeBit = 0x80000000u; // marks rows of blocks from before the recording

void addLife(BlockLifeTable& table, uint64_t address, uint64_t requested_bytes, MemoryMoment allocated,
             MemoryStackId stack)
{
    table.address.push_back(address);
    table.requested_bytes.push_back(requested_bytes);
    table.size_bytes.push_back(0);
    table.allocated.push_back(allocated);
    table.freeRequested.push_back(kNeverFreed);
    table.freed.push_back(kNeverFreed);
    table.stack.push_back(stack);
    table.dumpBlock.push_back(kNoRow);
    table.flags.push_back(0);
}

template<class Value>
void appendOrdered(std::vector<Value>& to, const std::vector<Value>& from, const std::vector<uint32_t>& order)
{
    to.reserve(order.size() + to.size());
    for (const uint32_t row : order)
        to.push_back(from[row]);
}

// Concatenates before[order[i]] for all i, followed by after.
template<class Value>
void joinColumn(std::vector<Value>& before, std::vector<Value>& after, const std::vector<uint32_t>& order)
{
    std::vector<Value> joined;
    joined.reserve(order.size() + after.size());
    appendOrdered(joined, before, order);
    joined.insert(joined.end(), after.begin(), after.end());
    std::vector<Value>().swap(before);
    after.swap(joined);
}

// Pairs allocations with frees in one pass over the history, with a map from each address to the latest block
// there. Invariant: at most one block per address is live. An allocation at the address of a live block ends
// that block (kFreeGuessed), and a free at an unknown address creates a block from before the recording. The
// blocks in the dump are then compared with the blocks that are live at the end. References to blocks from
// before the recording carry kBeforeBit until finish() sorts these blocks to the front. O(n), plus sorting
// the blocks from before the recording.
class Pairing {
  public:
    Pairing(const MemorySnapshot& snapshot, std::span<const uint32_t> rows, ImportNotes& notes)
        : m_snapshot(snapshot), m_rows(rows), m_notes(notes)
    {
        m_out.lifeOf.assign(rows.size(), kNoRow);
    }

    // Sets the stack of blocks that were allocated before the history began and were recorded by a different
    // recorder.
    void setBefore(MemoryStackId before) { m_stackBefore = before; }

    void walk(ReplayWatch& watch)
    {
        for (size_t i = 0; i < m_rows.size(); ++i) {
            if (watch.advanceAndCheckStop()) return;
            m_now = static_cast<MemoryMoment>(i + 1);
            step(m_snapshot.entries.action[m_rows[i]]);
        }
    }

    void applyDump(int32_t device)
    {
        const MemorySegmentTable& segments = m_snapshot.segments;
        for (size_t segment = 0; segment < segments.size(); ++segment) {
            if (segments.device[segment] != device) continue;
            const uint32_t first = segments.firstBlock[segment];
            for (uint32_t block = first; block < first + segments.blockCount[segment]; ++block) {
                const BlockState state = m_snapshot.blocks.state[block];
                if (state == BlockState::allocated || state == BlockState::pendingFree)
                    visitBlock(block, state == BlockState::pendingFree);
            }
        }
        if (!m_snapshot.isOfAllocator()) return addRest();
        for (size_t life = 0; life < m_out.blocks.size(); ++life) {
            if (!m_out.blocks.isNeverFreed(life) || m_out.blocks.dumpBlock[life] != kNoRow) continue;
            m_notes.add(
                "memory.block_not_in_dump", NoteSeverity::warning,
                "a block that the history allocates and never frees is not in the dump (it was freed after "
                "the last entry, or the file is truncated); it is shown as live until the end of the history",
                rowText(m_rows[m_out.blocks.allocated[life] - 1]));
        }
    }

    PairedBlocks finish()
    {
        std::vector<uint32_t> order(m_before.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, {}, [&](uint32_t row) { return m_before.address[row]; });
        std::vector<uint32_t> placeOf(order.size());
        for (uint32_t place = 0; place < order.size(); ++place)
            placeOf[order[place]] = place;
        const auto remap = [&](uint32_t& row) {
            if (row == kNoRow) return;
            row = (row & kBeforeBit) != 0 ? placeOf[row & ~kBeforeBit]
                                          : row + static_cast<uint32_t>(order.size());
        };
        std::ranges::for_each(m_out.lifeOf, remap);
        for (auto& [moment, life] : m_out.impliedFrees)
            remap(life);
        for (auto& [life, text] : m_out.annotations)
            remap(life);
        std::ranges::stable_sort(m_out.annotations, {}, &std::pair<uint32_t, StringId>::first);
        BlockLifeTable &a = m_before, &b = m_out.blocks;
        joinColumn(a.address, b.address, order);
        joinColumn(a.requested_bytes, b.requested_bytes, order);
        joinColumn(a.size_bytes, b.size_bytes, order);
        joinColumn(a.allocated, b.allocated, order);
        joinColumn(a.freeRequested, b.freeRequested, order);
        joinColumn(a.freed, b.freed, order);
        joinColumn(a.stack, b.stack, order);
        joinColumn(a.dumpBlock, b.dumpBlock, order);
        joinColumn(a.flags, b.flags, order);
        return std::move(m_out);
    }

  private:
    BlockLifeTable& tableOf(uint32_t row) { return (row & kBeforeBit) != 0 ? m_before : m_out.blocks; }
    static size_t rowIn(uint32_t row) { return row & ~kBeforeBit; }

    void step(MemoryAction action)
    {
        const uint32_t row = m_rows[m_now - 1];
        const uint64_t address = m_snapshot.entries.address[row];
        const uint64_t size = m_snapshot.entries.size_bytes[row];
        const bool isFree = action == MemoryAction::freeRequested || action == MemoryAction::freeCompleted;
        if (action == MemoryAction::annotate) {
            annotate(address);
        } else if (action == MemoryAction::alloc || isFree) {
            if (!isPossible(address, size)) {
                note("memory.impossible_size", "impossible size or address; the entry was skipped");
            } else if (isFree) {
                release(address, size, action == MemoryAction::freeCompleted);
            } else {
                allocate(address, size);
            }
        }
    }

    // Checks a size, and adds it to the sum of all sizes so that totals remain below kLargestTotal_bytes.
    bool isPossible(uint64_t address, uint64_t size)
    {
        if (size > kLargestSize_bytes || address + size < address) return false;
        if (size > kLargestTotal_bytes - m_total_bytes) return false;
        m_total_bytes += size;
        return true;
    }

    void allocate(uint64_t address, uint64_t size)
    {
        uint32_t& life = m_byAddress[address];
        if (life != kNoRow && tableOf(life).freed[rowIn(life)] == kNeverFreed) {
            note("memory.handed_out_twice",
                 "an address in use was allocated again; its previous block is assumed to be freed at "
                 "this entry");
            BlockLifeTable& table = tableOf(life);
            MemoryMoment& requested = table.freeRequested[rowIn(life)];
            requested = std::min(requested, m_now);
            table.freed[rowIn(life)] = m_now;
            table.flags[rowIn(life)] |= blockFlag::kFreeGuessed;
            m_out.impliedFrees.emplace_back(m_now, life);
        }
        life = static_cast<uint32_t>(m_out.blocks.size());
        addLife(m_out.blocks, address, size, m_now, m_snapshot.entries.stack[m_rows[m_now - 1]]);
        m_out.lifeOf[m_now - 1] = life;
    }

    void release(uint64_t address, uint64_t size, bool isCompleted)
    {
        uint32_t& life = m_byAddress[address];
        if (life == kNoRow) {
            life = static_cast<uint32_t>(m_before.size()) | kBeforeBit;
            const MemoryStackId stack = m_snapshot.entries.stack[m_rows[m_now - 1]];
            const bool isNamed = !m_snapshot.isOfAllocator() && stack.isValid();
            addLife(m_before, address, size, 0, isNamed ? stack : m_stackBefore);
            if (isCompleted && m_snapshot.isOfAllocator())
                m_before.freeRequested.back() = 0; // the free was requested before the recording began
        }
        BlockLifeTable& table = tableOf(life);
        const size_t at = rowIn(life);
        const bool isRequested = table.freeRequested[at] != kNeverFreed;
        if (table.freed[at] != kNeverFreed || (isRequested && !isCompleted)) {
            note("memory.freed_twice", "a block that was already free was freed again; the entry was "
                                       "skipped");
            return;
        }
        const bool isWithoutSize = size == 0 && !m_snapshot.isOfAllocator();
        if (table.requested_bytes[at] != size && !isWithoutSize) {
            note("memory.free_of_other_size",
                 "a block was freed with a different size than it was allocated with; the allocated "
                 "size is used");
        }
        if (!isRequested) table.freeRequested[at] = m_now;
        if (isCompleted) table.freed[at] = m_now;
        m_out.lifeOf[m_now - 1] = life;
    }

    void annotate(uint64_t address)
    {
        const auto& texts = m_snapshot.entries.userMetadata;
        const uint32_t life = m_byAddress.at(address);
        if (life == kNoRow || tableOf(life).freed[rowIn(life)] != kNeverFreed || texts.empty()) {
            note("memory.annotation_without_block", "an annotation was set for an address without a block");
            return;
        }
        m_out.annotations.emplace_back(life, texts[m_rows[m_now - 1]]);
    }

    // The first recorded total shows how much memory was allocated before the recording. Of the memory that
    // is not freed later, only the sum is known.
    void addRest()
    {
        const std::vector<int64_t>& totals = m_snapshot.entries.recorded_bytes;
        const auto isRecorded = [&](uint32_t row) { return !totals.empty() && totals[row] != kNotRecorded; };
        const auto first = std::ranges::find_if(m_rows, isRecorded);
        if (first == m_rows.end()) return;
        const auto limit = static_cast<int64_t>(kLargestSize_bytes);
        int64_t rest = std::min(totals[*first], limit);
        rest -= changeUntil(static_cast<MemoryMoment>(first - m_rows.begin() + 1));
        for (const uint64_t size : m_before.requested_bytes)
            rest -= static_cast<int64_t>(size);
        if (rest < 0) {
            m_notes.add("memory.total_below_blocks", NoteSeverity::warning,
                        "a recorded total of allocated bytes is less than the blocks live at that "
                        "time; the sum of the blocks is used",
                        m_snapshot.rowText(*first) + ": " + std::to_string(-rest) + " B less");
        }
        if (rest <= 0) return;
        addLife(m_before, ~kLargestSize_bytes, static_cast<uint64_t>(rest), 0, m_stackBefore);
        m_before.flags.back() |= blockFlag::kRest;
        m_notes.add("memory.rest_before", NoteSeverity::info,
                    "memory allocated before the recording and not freed during it is known only as a "
                    "sum, from recorded totals; it is shown as one block",
                    std::to_string(rest) + " B");
    }

    // Returns the change of allocated bytes by the entries up to a moment, as interpreted.
    int64_t changeUntil(MemoryMoment last)
    {
        const auto sizeOf = [&](uint32_t life) {
            return static_cast<int64_t>(tableOf(life).requested_bytes[rowIn(life)]);
        };
        int64_t change = 0;
        for (MemoryMoment moment = 1; moment <= last; ++moment) {
            const uint32_t life = m_out.lifeOf[moment - 1];
            if (life == kNoRow) continue;
            change += tableOf(life).allocated[rowIn(life)] == moment ? sizeOf(life) : -sizeOf(life);
        }
        for (const auto& [when, ended] : m_out.impliedFrees) {
            if (when <= last) change -= sizeOf(ended);
        }
        return change;
    }

    // Adds an active block of the dump.
    void visitBlock(uint32_t block, bool isPending)
    {
        const MemoryBlockTable& blocks = m_snapshot.blocks;
        const uint64_t address = blocks.address[block], size = blocks.size_bytes[block];
        if (!isPossible(address, size) || !isPossible(address, blocks.requested_bytes[block])) {
            return noteBlock("memory.impossible_size", "impossible size or address; the block was skipped",
                             block);
        }
        uint32_t& life = m_byAddress[address];
        if (life == kNoRow) {
            life = static_cast<uint32_t>(m_before.size()) | kBeforeBit;
            addLife(m_before, address, blocks.requested_bytes[block], 0, blocks.stack[block]);
            if (isPending) m_before.freeRequested.back() = 0;
        }
        BlockLifeTable& table = tableOf(life);
        const size_t at = rowIn(life);
        if (table.dumpBlock[at] != kNoRow) {
            return noteBlock("memory.block_twice",
                             "two blocks in the dump have the same address; the first is used", block);
        }
        if (table.freed[at] != kNeverFreed) {
            return noteBlock("memory.block_after_history",
                             "a block in the dump is free at the end of the history; it must have been "
                             "allocated after the last entry, so it was skipped",
                             block);
        }
        if (table.requested_bytes[at] != blocks.requested_bytes[block] ||
            isPending != (table.freeRequested[at] != kNeverFreed)) {
            noteBlock("memory.dump_disagrees",
                      "size or state of a block in the dump differs from the end of the history; the size is "
                      "taken from the dump, the state from the history",
                      block);
        }
        table.dumpBlock[at] = block;
        table.size_bytes[at] = size;
        table.flags[at] |= blockFlag::kInDump;
        if (!table.stack[at].isValid()) table.stack[at] = blocks.stack[block];
    }

    std::string rowText(uint32_t row) const { return m_snapshot.rowText(row); }
    void note(std::string_view kind, std::string_view text)
    {
        m_notes.add(kind, NoteSeverity::warning, text, rowText(m_rows[m_now - 1]));
    }
    void noteBlock(std::string_view kind, std::string_view text, uint32_t block)
    {
        m_notes.add(kind, NoteSeverity::warning, text, "block " + std::to_string(block));
    }

    const MemorySnapshot& m_snapshot;
    const std::span<const uint32_t> m_rows;
    ImportNotes& m_notes;
    PairedBlocks m_out; // blocks allocated in the history
    BlockLifeTable m_before;
    AddressMap m_byAddress; // latest life at each address
    MemoryStackId m_stackBefore;
    uint64_t m_total_bytes = 0;
    MemoryMoment m_now = 0;
};

} // namespace

PairedBlocks pairBlocks(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                        ImportNotes& notes, ReplayWatch& watch)
{
    Pairing pairing(snapshot, rows, notes);
    if (!snapshot.isOfAllocator()) pairing.setBefore(snapshot.stackBeforeHistory(device));
    pairing.walk(watch);
    pairing.applyDump(device);
    return pairing.finish();
}

} // namespace lockstep
