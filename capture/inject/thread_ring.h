// SPDX-License-Identifier: Apache-2.0
// ThreadRing carries the records of one thread of the program to the writer thread. It has one producer, one
// consumer, no locks, and no system calls except for a wake-up when it is half full. Its memory is mapped
// once and touched only as it is used. An empty ring restarts at its beginning, so a thread with few records
// touches only 64 KiB of it.
//
// The producer never runs twice at the same time, because its owner keeps signal handlers out
// (ThreadLane::enter()). If a handler abandons a half-written record (siglongjmp), the ring is unchanged,
// because positions advance only after the bytes are complete. The consumer checks both positions and sizes:
// invalid values mark the ring as corrupt permanently.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace lockstep::capture {

// Header of each record in a ring. `flags` determines what follows, in this order.
struct RingRecord {
    uint16_t words = 0; // number of 8-byte words, including this one
    uint8_t kind = 0;   // LockstepSpoolKind; 0 = skip to the beginning of the ring
    uint8_t flags = 0;
    uint32_t domain = 0;
    int64_t time_ns = 0;
};

namespace ringFlag {
inline constexpr uint8_t kTextSlot = 1; // RingText: a string sent before
// RingText, with its bytes at the end of the record; the consumer stores them under that slot.
inline constexpr uint8_t kTextInline = 2;
inline constexpr uint8_t kTextPointer = 4; // 8 bytes: a RegisteredText
inline constexpr uint8_t kTextHeap = 8;    // 8 bytes: a HeapText, to be freed by the consumer
inline constexpr uint8_t kExtended = 16;   // RingExtension
inline constexpr uint8_t kNumber = 32;     // 8 bytes: ID of a range or a schema
} // namespace ringFlag

struct RingText {
    uint32_t slot;
    uint32_t size_bytes;
};

struct RingExtension {
    uint32_t category;
    int32_t payloadType;
    uint64_t color; // 0 = none, otherwise ARGB * 2 + 1
    uint64_t payload;
};

struct HeapText {
    size_t size_bytes;
    char text[1]; // size_bytes characters
};

// Returns the minimum size of a record with these flags, without its inline string.
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

    // Producer: returns room for a record of `bytes` (a multiple of 8), or nullptr while the ring is full.
    uint8_t* reserve(uint32_t bytes) noexcept
    {
        if (m_head + bytes > m_limit && !findRoom(bytes)) return nullptr;
        return m_bytes + (m_head & (m_size - 1));
    }
    // Producer: publishes the reserved record. Returns true if the consumer should be woken.
    bool publish(uint32_t bytes) noexcept
    {
        std::atomic_signal_fence(std::memory_order_release);
        m_head += bytes;
        m_published.store(m_head, std::memory_order_release);
        return m_head - m_seenTail > m_size / 2 && m_head > m_wakeAt;
    }
    void noteWoken() noexcept { m_wakeAt = m_head + m_size / 4; }

    // Consumer: returns the next record, which is valid until release(), or nullptr. A corrupt ring returns
    // no records.
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
    // Consumer: returns true if the content of the ring cannot come from its producer, which means that the
    // program overwrote it.
    bool isDamaged() const noexcept { return m_isDamaged; }
    // Consumer: consumes the record that peek() returned.
    void pop(const RingRecord* record) noexcept { m_read += uint64_t(record->words) * 8; }
    // Consumer: frees the space of all consumed records.
    void release() noexcept { m_tail.store(m_read, std::memory_order_release); }
    bool isEmpty() const noexcept
    {
        return m_published.load(std::memory_order_acquire) == m_tail.load(std::memory_order_acquire);
    }

  private:
    static constexpr uint64_t kSegment_bytes = 64 * 1024;

    bool refreshEnd() noexcept
    {
        if (m_isDamaged) return false;
        m_end = m_published.load(std::memory_order_acquire);
        m_isDamaged = m_end < m_read || m_end - m_tail.load(std::memory_order_relaxed) > m_size;
        return m_read < m_end && !m_isDamaged;
    }

    // Finds space up to m_limit that the producer may write without another check. The space never extends
    // past the end of the ring or over unread records.
    bool findRoom(uint32_t bytes) noexcept
    {
        m_seenTail = m_tail.load(std::memory_order_acquire);
        const uint64_t offset = m_head & (m_size - 1);
        const uint64_t toEnd = m_size - offset;
        const uint64_t free = m_size - (m_head - m_seenTail);
        const bool wraps = m_seenTail == m_head && offset >= kSegment_bytes;
        if (wraps || bytes > toEnd) {
            if (free < toEnd + (wraps ? 0 : bytes)) return false;
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
        if (room > kSegment_bytes && bytes <= kSegment_bytes) room = kSegment_bytes;
        m_limit = m_head + room;
        return true;
    }

    uint8_t* m_bytes = nullptr;
    uint32_t m_size = 0; // a power of two
    // Producer state.
    alignas(64) uint64_t m_head = 0;
    uint64_t m_limit = 0;
    uint64_t m_seenTail = 0;
    uint64_t m_wakeAt = 0;
    alignas(64) std::atomic<uint64_t> m_published{0};
    // Consumer state.
    alignas(64) std::atomic<uint64_t> m_tail{0};
    uint64_t m_read = 0;
    uint64_t m_end = 0;
    bool m_isDamaged = false;
};

} // namespace lockstep::capture
