// SPDX-License-Identifier: Apache-2.0
// OtlpSpanIds finds the spans of a file by id. The first one counts if several have the same id. Refers to
// the spans. One thread; O(1) per search.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "core/readers/samples/otlp_spans.h"

namespace lockstep {

class OtlpSpanIds {
  public:
    static constexpr uint32_t kNone = 0xFFFFFFFFu;

    explicit OtlpSpanIds(std::span<const OtlpSpan> spans)
        : m_spans(spans), m_slots(std::bit_ceil(2 * spans.size() + 1), kNone)
    {
        for (uint32_t i = 0; i < spans.size(); ++i) {
            uint32_t& slot = m_slots[slotOf(spans[i].id)];
            if (slot == kNone) slot = i;
        }
    }
    // Returns the number of the span, or kNone.
    uint32_t find(uint64_t id) const { return m_slots[slotOf(id)]; }

  private:
    // Returns the slot with this id, or the empty one in which it belongs.
    size_t slotOf(uint64_t id) const
    {
        size_t slot = (id * 0x9E37'79B9'7F4A'7C15u) >> 20; // IDs may differ in only a few bits
        for (;; ++slot) {
            slot &= m_slots.size() - 1;
            if (m_slots[slot] == kNone || m_spans[m_slots[slot]].id == id) return slot;
        }
    }

    std::span<const OtlpSpan> m_spans;
    std::vector<uint32_t> m_slots;
};

} // namespace lockstep
