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
    // Memory for the slots that are used: most threads say few different texts.
    Sent& at(uint32_t slot)
    {
        if (m_places.empty()) m_places.resize(ThreadLane::kSlots);
        uint16_t& place = m_places[slot];
        if (place == 0) {
            m_sent.emplace_back();
            place = static_cast<uint16_t>(m_sent.size());
        }
        return m_sent[place - 1u];
    }

  private:
    std::vector<uint16_t> m_places; // by slot: place in m_sent, from 1
    std::vector<Sent> m_sent;
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
