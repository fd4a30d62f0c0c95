// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/thread_lane.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/inject/recorder.h"

namespace lockstep::capture {

namespace {

constexpr size_t kHead_bytes = (sizeof(ThreadLane) + 4095) / 4096 * 4096;

uint32_t inWords(size_t size_bytes)
{
    return static_cast<uint32_t>((size_bytes + 7) / 8 * 8);
}

} // namespace

ThreadLane* ThreadLane::map(uint32_t ring_bytes) noexcept
{
    void* const memory = mmap(nullptr, kHead_bytes + ring_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* const lane = new (memory) ThreadLane;
    lane->ring.attach(static_cast<uint8_t*>(memory) + kHead_bytes, ring_bytes);
    return lane;
}

void ThreadLane::unmap(ThreadLane* lane) noexcept
{
    munmap(lane, kHead_bytes + lane->ring.size_bytes());
}

void ThreadLane::begin(Recorder* newOwner, int64_t newTid) noexcept
{
    std::fill(std::begin(m_slots), std::end(m_slots), Slot{});
    std::fill(std::begin(depths), std::end(depths), 0u);
    openTriggers = 0;
    tid.store(newTid, std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_relaxed);
    owner.store(newOwner, std::memory_order_release);
}

// Decides how the text travels. False when a long one finds no memory.
bool ThreadLane::putText(const TextArgument& text, RingRecord& head, uint64_t& word, HeapText** heap) noexcept
{
    if (text.registered != nullptr) {
        head.flags |= ringFlag::kTextPointer;
        word = reinterpret_cast<uint64_t>(text.registered);
        return true;
    }
    const size_t size_bytes = text.bytes.size();
    if (size_bytes == 0) return true;
    if (size_bytes > kLongestSlot) {
        *heap = owner.load(std::memory_order_relaxed)->lanes().copyLong(text.bytes);
        head.flags |= ringFlag::kTextHeap;
        word = reinterpret_cast<uint64_t>(*heap);
        return *heap != nullptr;
    }
    const XXH128_hash_t hash = XXH3_128bits(text.bytes.data(), size_bytes);
    const uint32_t slot = static_cast<uint32_t>(hash.low64) % kSlots;
    const bool isKnown = m_slots[slot].low == hash.low64 && m_slots[slot].high == hash.high64;
    head.flags |= isKnown ? ringFlag::kTextSlot : ringFlag::kTextInline;
    word = slot | uint64_t(size_bytes) << 32;
    if (!isKnown) m_slots[slot] = {hash.low64, hash.high64};
    return true;
}

bool ThreadLane::record(const LaneRecord& record) noexcept
{
    RingRecord head;
    head.kind = record.kind;
    head.domain = record.domain;
    head.time_ns = record.time_ns;
    uint64_t textWord = 0;
    HeapText* heap = nullptr;
    bool isKept = putText(record.text, head, textWord, &heap);
    uint32_t size_bytes = sizeof(RingRecord);
    const bool hasText = (head.flags & 15) != 0;
    if (hasText) size_bytes += 8;
    if (record.extension != nullptr) size_bytes += sizeof(RingExtension), head.flags |= ringFlag::kExtended;
    if (record.number != nullptr) size_bytes += 8, head.flags |= ringFlag::kNumber;
    const bool isInline = (head.flags & ringFlag::kTextInline) != 0;
    if (isInline) size_bytes += inWords(record.text.bytes.size());
    head.words = static_cast<uint16_t>(size_bytes / 8);
    uint8_t* at = isKept ? ring.reserve(size_bytes) : nullptr;
    if (isKept && at == nullptr) at = owner.load(std::memory_order_relaxed)->waitForRoom(*this, size_bytes);
    if (at == nullptr) {
        if (isInline) m_slots[static_cast<uint32_t>(textWord)] = {}; // the writer never saw it
        if (heap != nullptr) owner.load(std::memory_order_relaxed)->lanes().freeLong(heap);
        losses.add(record.time_ns);
        return false;
    }
    const auto put = [&at](const void* bytes, size_t size) {
        std::memcpy(at, bytes, size);
        at += size;
    };
    put(&head, sizeof head);
    if (hasText) put(&textWord, 8);
    if (record.extension != nullptr) put(record.extension, sizeof *record.extension);
    if (record.number != nullptr) put(record.number, 8);
    if (isInline) put(record.text.bytes.data(), record.text.bytes.size());
    if (ring.publish(size_bytes)) {
        ring.noteWoken();
        owner.load(std::memory_order_relaxed)->wakeWriter();
    }
    return true;
}

} // namespace lockstep::capture
