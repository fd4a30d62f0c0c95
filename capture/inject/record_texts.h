// SPDX-License-Identifier: Apache-2.0
// RecordTexts maps the strings of ring records to their indexes in the current block. It remembers which
// strings each lane has sent. Used on the writer thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/inject/block_builder.h"
#include "capture/inject/thread_lane.h"

namespace lockstep::capture {

// Texts that one lane sent, indexed by slot.
class LaneTexts {
  public:
    struct Sent {
        std::string text;
        uint64_t generation = 0; // generation of the block to which `number` belongs
        uint32_t number = 0;
    };
    // Returns the entry of a slot. Memory is allocated only for used slots, because most threads use few
    // different strings.
    Sent& at(uint32_t slot)
    {
        if (m_indexes.empty()) m_indexes.resize(ThreadLane::kSlots);
        uint16_t& index = m_indexes[slot];
        if (index == 0) {
            m_sent.emplace_back();
            index = static_cast<uint16_t>(m_sent.size());
        }
        return m_sent[index - 1u];
    }

  private:
    std::vector<uint16_t> m_indexes; // indexed by slot: 1-based index in m_sent
    std::vector<Sent> m_sent;
};

class RecordTexts {
  public:
    RecordTexts(BlockBuilder& block, LaneTable& lanes) : m_block(block), m_lanes(lanes) {}

    // Returns the index of the string at `at` in the record, or 0 if there is no string, and moves `at` past
    // the string. If isKept is false, the block does not change, but the sent string is still remembered.
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
    std::unordered_map<const void*, Number> m_registered; // strings in the current block
};

} // namespace lockstep::capture
