// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/thread_lane.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include <signal.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/format/spool_format.h"
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
    m_marked = losses.total.load(std::memory_order_relaxed);
    losses.first_ns.store(0, std::memory_order_relaxed);
    m_user.store(0, std::memory_order_relaxed);
    tid.store(newTid, std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_relaxed);
    owner.store(newOwner, std::memory_order_release);
}

// Returns true if the frame that called enter() is gone because a signal handler left it through
// siglongjmp(). A frame that is still running is at a higher address than the frames of its signal handlers.
// The distance includes what the Linux kernel saves between them (at least 1,064 bytes on x86-64, 4,688 on
// aarch64), unless the handlers have their own stack.
bool ThreadLane::isAbandoned(uintptr_t user, uintptr_t frame) noexcept
{
    stack_t handlers = {};
    if (sigaltstack(nullptr, &handlers) != 0 || (handlers.ss_flags & SS_ONSTACK) != 0) return false;
    const auto begin = reinterpret_cast<uintptr_t>(handlers.ss_sp);
    const bool wasInHandler =
        (handlers.ss_flags & SS_DISABLE) == 0 && user >= begin && user - begin < handlers.ss_size;
    constexpr uintptr_t kMinSaved_bytes = 1024;
    return wasInHandler || frame + kMinSaved_bytes > user;
}

// Decides how the string is transferred. Returns false if there is no memory for a long string.
bool ThreadLane::encodeText(const TextArgument& text, RingRecord& head, uint64_t& word,
                            HeapText** heap) noexcept
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

// Returns room in the ring, and waits for it if the settings request that. Returns nullptr if there is no
// room.
uint8_t* ThreadLane::roomFor(uint32_t bytes) noexcept
{
    if (uint8_t* const room = ring.reserve(bytes)) return room;
    return owner.load(std::memory_order_relaxed)->waitForRoom(*this, bytes);
}

// Adds a LOST record where records are missing, before any later record, so that the reader knows where
// pushes and pops of the thread no longer match. Returns false while there is no room.
bool ThreadLane::markGap() noexcept
{
    constexpr uint32_t kSize_bytes = sizeof(RingRecord) + sizeof(RingExtension);
    uint8_t* const at = roomFor(kSize_bytes);
    if (at == nullptr) return false;
    RingRecord head;
    head.kind = LOCKSTEP_KIND_LOST;
    head.flags = ringFlag::kExtended;
    head.words = kSize_bytes / 8;
    const uint64_t total = losses.total.load(std::memory_order_acquire);
    head.time_ns = losses.first_ns.exchange(0, std::memory_order_relaxed);
    const int64_t last_ns = losses.last_ns.load(std::memory_order_relaxed);
    if (head.time_ns == 0) head.time_ns = last_ns;
    // In this record, these fields are not a color and a payload, but the end of the gap and the total of
    // losses.
    const RingExtension gap{0, 0, static_cast<uint64_t>(last_ns), total};
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, &gap, sizeof gap);
    ring.publish(kSize_bytes);
    m_marked = total;
    return true;
}

bool ThreadLane::record(const LaneRecord& record) noexcept
{
    if (losses.total.load(std::memory_order_relaxed) != m_marked && !markGap()) {
        losses.add(record.time_ns);
        return false;
    }
    RingRecord head;
    head.kind = record.kind;
    head.domain = record.domain;
    head.time_ns = record.time_ns;
    uint64_t textWord = 0;
    HeapText* heap = nullptr;
    bool isKept = encodeText(record.text, head, textWord, &heap);
    uint32_t size_bytes = sizeof(RingRecord);
    const bool hasText = (head.flags & 15) != 0;
    if (hasText) size_bytes += 8;
    if (record.extension != nullptr) size_bytes += sizeof(RingExtension), head.flags |= ringFlag::kExtended;
    if (record.number != nullptr) size_bytes += 8, head.flags |= ringFlag::kNumber;
    const bool isInline = (head.flags & ringFlag::kTextInline) != 0;
    if (isInline) size_bytes += inWords(record.text.bytes.size());
    head.words = static_cast<uint16_t>(size_bytes / 8);
    uint8_t* at = isKept ? roomFor(size_bytes) : nullptr;
    if (at == nullptr) {
        if (isInline) m_slots[static_cast<uint32_t>(textWord)] = {}; // the writer never received the string
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
        owner.load(std::memory_order_relaxed)->writerQueue().wake();
    }
    return true;
}

uint32_t LaneTable::count() const noexcept
{
    return std::min(m_count.load(std::memory_order_acquire), kMax);
}

bool LaneTable::useMemory(uint64_t size_bytes) noexcept
{
    if (m_used.fetch_add(size_bytes) + size_bytes <= m_limit) return true;
    m_used.fetch_sub(size_bytes);
    return false;
}

bool LaneTable::hasEnded() const noexcept
{
    for (uint32_t i = 0; i < count(); ++i) {
        const ThreadLane* const lane = at(i);
        if (lane != nullptr && lane->state.load(std::memory_order_relaxed) == LaneState::ended) return true;
    }
    return false;
}

// The ring size decreases as the memory fills up. About 64 threads get large rings, which hold the records of
// a thread while the writer is descheduled. The default limit leaves room for 2,500 more threads.
uint32_t LaneTable::nextRing_bytes() const noexcept
{
    const uint64_t used = m_used.load();
    const uint64_t left = m_limit > used ? m_limit - used : 0;
    const uint64_t share = left > m_limit / 2 ? left / 64 : left / 1024;
    uint32_t ring_bytes = ThreadLane::kLargestRing;
    while (ring_bytes > ThreadLane::kSmallestRing && ring_bytes > share)
        ring_bytes /= 2;
    return ring_bytes;
}

ThreadLane* LaneTable::take(Recorder* owner, int64_t tid) noexcept
{
    const uint32_t known = count();
    for (uint32_t i = 0; i < known; ++i) {
        ThreadLane* const lane = at(i);
        LaneState isFree = LaneState::free;
        if (lane == nullptr || !lane->state.compare_exchange_strong(isFree, LaneState::taken)) continue;
        lane->begin(owner, tid);
        return lane;
    }
    const uint32_t ring_bytes = nextRing_bytes();
    if (known >= kMax || !useMemory(ring_bytes)) return nullptr;
    ThreadLane* const lane = ThreadLane::map(ring_bytes);
    const uint32_t index = lane != nullptr ? m_count.fetch_add(1) : kMax;
    if (index >= kMax) {
        if (lane != nullptr) ThreadLane::unmap(lane);
        releaseBytes(ring_bytes);
        return nullptr;
    }
    lane->state.store(LaneState::taken);
    lane->begin(owner, tid);
    m_lanes[index].store(lane, std::memory_order_release);
    return lane;
}

// Does not use malloc(), because a signal handler may call this on a thread that it interrupted inside
// malloc().
HeapText* LaneTable::copyLong(std::string_view text) noexcept
{
    const uint64_t size_bytes = sizeof(HeapText) + text.size();
    if (!useMemory(size_bytes)) return nullptr;
    void* memory = MAP_FAILED;
    if (m_longTexts.fetch_add(1) < kMaxLong)
        memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        m_longTexts.fetch_sub(1);
        releaseBytes(size_bytes);
        return nullptr;
    }
    auto* const copy = static_cast<HeapText*>(memory);
    copy->size_bytes = text.size();
    std::memcpy(reinterpret_cast<char*>(copy) + offsetof(HeapText, text), text.data(), text.size());
    return copy;
}

void LaneTable::freeLong(HeapText* text) noexcept
{
    const uint64_t size_bytes = sizeof(HeapText) + text->size_bytes;
    munmap(text, size_bytes);
    m_longTexts.fetch_sub(1);
    releaseBytes(size_bytes);
}

} // namespace lockstep::capture
