// SPDX-License-Identifier: Apache-2.0
// AddressMap: from an address to a row number, for millions of addresses: open addressing, 16 bytes a slot,
// at least a quarter of which are used once it has grown. Filled and read by one replay, one thread; nothing
// is ever removed. Where an address lies differs from process to process, so that no file can be made to clog
// it.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

class AddressMap {
  public:
    static constexpr uint32_t kNone = 0xFFFFFFFFu;

    AddressMap() : m_slots(64), m_seed(reinterpret_cast<uintptr_t>(m_slots.data())) {}

    // The row of an address, kNone at first; written through the reference, which the next call may move.
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
    // kNone for an address that was never asked for.
    uint32_t at(uint64_t address) const { return m_slots[find(address)].row; }
    size_t residentBytes() const { return m_slots.capacity() * sizeof(Slot); }

  private:
    struct Slot {
        uint64_t address = 0;
        uint32_t row = kNone;
        uint32_t isUsed = 0;
    };

    // Of the slot that holds the address, or would.
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

} // namespace lockstep
