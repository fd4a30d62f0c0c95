// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/record_texts.h"

#include <algorithm>
#include <cstring>

namespace lockstep::capture {

namespace {

constexpr size_t kMaxRegistered = 100'000;

} // namespace

uint32_t RecordTexts::ofHeap(HeapText* heap, bool isKept)
{
    const char* const bytes = reinterpret_cast<const char*>(heap) + offsetof(HeapText, text);
    const uint32_t number = isKept ? m_block.text({bytes, heap->size_bytes}) : 0;
    m_lanes.freeLong(heap);
    return number;
}

uint32_t RecordTexts::ofRegistered(const RegisteredText* text)
{
    if (m_registered.size() > kMaxRegistered) m_registered.clear();
    Number& known = m_registered[text];
    if (known.generation != m_block.generation()) known = {m_block.generation(), m_block.text(text->view())};
    return known.number;
}

uint32_t RecordTexts::numberOf(const RingRecord& record, const uint8_t*& at, LaneTexts& lane, bool isKept)
{
    if ((record.flags & 15) == 0) return 0;
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    at += 8;
    if ((record.flags & ringFlag::kTextHeap) != 0) return ofHeap(reinterpret_cast<HeapText*>(word), isKept);
    if ((record.flags & ringFlag::kTextPointer) != 0)
        return isKept ? ofRegistered(reinterpret_cast<const RegisteredText*>(word)) : 0;
    LaneTexts::Sent& sent = lane.at(static_cast<uint32_t>(word) % ThreadLane::kSlots);
    if ((record.flags & ringFlag::kTextInline) != 0) {
        const size_t tail_bytes = ((record.flags & ringFlag::kExtended) != 0 ? sizeof(RingExtension) : 0) +
                                  ((record.flags & ringFlag::kNumber) != 0 ? 8 : 0);
        const uint64_t limit_bytes = uint64_t(record.words) * 8 - leastSize_bytes(record.flags);
        sent.text.assign(reinterpret_cast<const char*>(at) + tail_bytes, std::min(word >> 32, limit_bytes));
        sent.generation = 0;
    }
    if (!isKept) return 0;
    if (sent.generation != m_block.generation()) {
        sent.number = m_block.text(sent.text);
        sent.generation = m_block.generation();
    }
    return sent.number;
}

} // namespace lockstep::capture
