// SPDX-License-Identifier: Apache-2.0
// AddressMap maps addresses to row numbers, for millions of addresses. It uses open addressing with 16 bytes
// per slot; once it has grown, at least a quarter of the slots are used. A single replay fills and reads it
// on one thread; entries are never removed. The hash seed differs per process, so no file can force
// collisions.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

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

} // namespace lockstep
