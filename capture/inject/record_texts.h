// SPDX-License-Identifier: Apache-2.0
// RecordTexts: the texts of ring records as the current block numbers them. Remembers what each lane sent
// before. The writer thread's.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/inject/block_builder.h"
#include "capture/inject/lane_table.h"

namespace lockstep::capture {

// What one lane sent, by slot.
class LaneTexts {
  public:
    struct Sent {
        std::string text;
        uint64_t generation = 0; // of the block that `number` belongs to
        uint32_t number = 0;
    };
    Sent& at(uint32_t slot)
    {
        if (m_slots.empty()) m_slots.resize(ThreadLane::kSlots);
        return m_slots[slot];
    }

  private:
    std::vector<Sent> m_slots;
};

class RecordTexts {
  public:
    RecordTexts(BlockBuilder& block, LaneTable& lanes) : m_block(block), m_lanes(lanes) {}

    // The number of the text that stands at `at` of the record, which is moved behind it; 0 for none. While
    // nothing is kept the block stays as it is, and what was sent is remembered all the same.
    uint32_t numberOf(const RingRecord& record, const uint8_t*& at, LaneTexts& lane, bool isKept);

  private:
    struct Number {
        uint64_t generation = 0;
        uint32_t number = 0;
    };

    uint32_t ofHeap(HeapText* heap, bool isKept);
    uint32_t ofRegistered(const RegisteredText* text);

    BlockBuilder& m_block;
    LaneTable& m_lanes;
    std::unordered_map<const void*, Number> m_registered; // of the current block
};

} // namespace lockstep::capture
