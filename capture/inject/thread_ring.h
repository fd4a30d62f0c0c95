// SPDX-License-Identifier: Apache-2.0
// ThreadRing: what one thread of the program did, on its way to the writer thread. One producer, one
// consumer, no locks, no system calls but a wake when it is half full. Its memory is mapped once and touched
// as it is used: an empty ring goes back to its beginning, so a quiet thread touches 64 KiB of it.
//
// The producer never runs twice at once: its owner keeps signal handlers out (ThreadLane::enter()). A record
// that a handler abandons half-made (siglongjmp) leaves the ring as it was, because positions move only after
// the bytes they cover are there. The consumer trusts neither: positions and sizes that cannot be make the
// ring damaged, for good.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace lockstep::capture {

// What stands at the beginning of each record in a ring. `flags` says what follows, in this order.
struct RingRecord {
    uint16_t words = 0; // of 8 bytes, this one included
    uint8_t kind = 0;   // LockstepSpoolKind; 0 = skip to the ring's beginning
    uint8_t flags = 0;
    uint32_t domain = 0;
    int64_t time_ns = 0;
};

namespace ringFlag {
inline constexpr uint8_t kTextSlot = 1;    // RingText: a text that was sent before
inline constexpr uint8_t kTextInline = 2;  // RingText, and its bytes at the end: keep it under that slot
inline constexpr uint8_t kTextPointer = 4; // 8 bytes: a RegisteredText
inline constexpr uint8_t kTextHeap = 8;    // 8 bytes: a HeapText, the consumer's to free
inline constexpr uint8_t kExtended = 16;   // RingExtension
inline constexpr uint8_t kNumber = 32;     // 8 bytes: a range's id, a schema's
} // namespace ringFlag

struct RingText {
    uint32_t slot;
    uint32_t size_bytes;
};

struct RingExtension {
    uint32_t category;
    int32_t payloadType;
    uint64_t color; // 0 none, else ARGB * 2 + 1
    uint64_t payload;
};

struct HeapText {
    size_t size_bytes;
    char text[1]; // size_bytes of them
};

// Of a record with these flags, its inline text not counted.
constexpr uint64_t leastSize_bytes(uint8_t flags) noexcept
{
    constexpr uint8_t kText =
        ringFlag::kTextSlot | ringFlag::kTextInline | ringFlag::kTextPointer | ringFlag::kTextHeap;
    return sizeof(RingRecord) + ((flags & kText) != 0 ? sizeof(RingText) : 0) +
           ((flags & ringFlag::kExtended) != 0 ? sizeof(RingExtension) : 0) +
           ((flags & ringFlag::kNumber) != 0 ? sizeof(uint64_t) : 0);
}

class ThreadRing {
  public:
    void attach(uint8_t* bytes, uint32_t size_bytes) noexcept
    {
        m_bytes = bytes;
        m_size = size_bytes;
    }
    uint32_t size_bytes() const noexcept { return m_size; }

    // Producer. Room for a record of `bytes` (a multiple of 8), or nullptr while the ring is full.
    uint8_t* reserve(uint32_t bytes) noexcept
    {
        if (m_head + bytes > m_limit && !findRoom(bytes)) return nullptr;
        return m_bytes + (m_head & (m_size - 1));
    }
    // Producer. Hands over what was reserved. True when the consumer should be woken.
    bool publish(uint32_t bytes) noexcept
    {
        std::atomic_signal_fence(std::memory_order_release);
        m_head += bytes;
        m_published.store(m_head, std::memory_order_release);
        return m_head - m_seenTail > m_size / 2 && m_head > m_wakeAt;
    }
    void noteWoken() noexcept { m_wakeAt = m_head + m_size / 4; }

    // Consumer. The next record, or nullptr; it stays until release(). A damaged ring has none.
    const RingRecord* peek() noexcept
    {
        while (m_read < m_end || refreshEnd()) {
            const uint64_t offset = m_read & (m_size - 1);
            const uint64_t toEnd = m_size - offset;
            const auto* const record = reinterpret_cast<const RingRecord*>(m_bytes + offset);
            if (toEnd < sizeof *record || record->kind == 0) {
                m_read += toEnd;
                continue;
            }
            const uint64_t size_bytes = uint64_t(record->words) * 8;
            if (size_bytes >= leastSize_bytes(record->flags) && size_bytes <= toEnd &&
                size_bytes <= m_end - m_read)
                return record;
            m_isDamaged = true;
            m_end = m_read;
            break;
        }
        return nullptr;
    }
    // Consumer. What stands in the ring cannot have been put there by its producer: the program wrote over
    // it.
    bool isDamaged() const noexcept { return m_isDamaged; }
    // Consumer. Is done with the record that peek() gave.
    void pop(const RingRecord* record) noexcept { m_read += uint64_t(record->words) * 8; }
    // Consumer. Gives the room of all that was popped back.
    void release() noexcept { m_tail.store(m_read, std::memory_order_release); }
    bool isEmpty() const noexcept
    {
        return m_published.load(std::memory_order_acquire) == m_tail.load(std::memory_order_acquire);
    }

  private:
    static constexpr uint64_t kStretch = 64 * 1024;

    bool refreshEnd() noexcept
    {
        if (m_isDamaged) return false;
        m_end = m_published.load(std::memory_order_acquire);
        m_isDamaged = m_end < m_read || m_end - m_tail.load(std::memory_order_relaxed) > m_size;
        return m_read < m_end && !m_isDamaged;
    }

    // The producer may write up to m_limit without asking: never over the ring's end, nor over what is
    // unread.
    bool findRoom(uint32_t bytes) noexcept
    {
        m_seenTail = m_tail.load(std::memory_order_acquire);
        const uint64_t offset = m_head & (m_size - 1);
        const uint64_t toEnd = m_size - offset;
        const uint64_t free = m_size - (m_head - m_seenTail);
        const bool goesBack = m_seenTail == m_head && offset >= kStretch;
        if (goesBack || bytes > toEnd) {
            if (free < toEnd + (goesBack ? 0 : bytes)) return false;
            if (toEnd >= sizeof(RingRecord))
                new (m_bytes + offset) RingRecord();
            else
                std::memset(m_bytes + offset, 0, toEnd);
            std::atomic_signal_fence(std::memory_order_release);
            m_head += toEnd;
            m_published.store(m_head, std::memory_order_release);
            m_limit = m_head;
            return findRoom(bytes);
        }
        if (bytes > free) return false;
        uint64_t room = free < toEnd ? free : toEnd;
        if (room > kStretch && bytes <= kStretch) room = kStretch;
        m_limit = m_head + room;
        return true;
    }

    uint8_t* m_bytes = nullptr;
    uint32_t m_size = 0; // a power of two
    // The producer's.
    alignas(64) uint64_t m_head = 0;
    uint64_t m_limit = 0;
    uint64_t m_seenTail = 0;
    uint64_t m_wakeAt = 0;
    alignas(64) std::atomic<uint64_t> m_published{0};
    // The consumer's.
    alignas(64) std::atomic<uint64_t> m_tail{0};
    uint64_t m_read = 0;
    uint64_t m_end = 0;
    bool m_isDamaged = false;
};

} // namespace lockstep::capture
