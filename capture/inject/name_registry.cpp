// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/name_registry.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep::capture {

namespace {

std::atomic<uint64_t> g_used_bytes{0};

// Memory for entries, which exist until the process ends. It is mapped in large areas and handed out in
// pieces. Uses neither locks nor malloc(), because a signal handler may name objects on a thread that it
// interrupted in this class or inside malloc().
class EntryMemory {
  public:
    // Returns nullptr if the system is out of memory.
    void* take(size_t size_bytes) noexcept
    {
        const size_t aligned_bytes =
            (size_bytes + alignof(NamedText) - 1) / alignof(NamedText) * alignof(NamedText);
        if (aligned_bytes > kArea_bytes / 4) return mapped(aligned_bytes);
        while (true) {
            MemoryArea* const area = m_area.load(std::memory_order_acquire);
            if (area != nullptr) {
                const size_t at = area->used_bytes.fetch_add(aligned_bytes);
                if (at + aligned_bytes <= kArea_bytes) return reinterpret_cast<char*>(area) + at;
            }
            void* const memory = mapped(kArea_bytes);
            if (memory == nullptr) return nullptr;
            MemoryArea* seen = area;
            if (!m_area.compare_exchange_strong(seen, new (memory) MemoryArea, std::memory_order_acq_rel))
                munmap(memory, kArea_bytes); // another thread mapped one first
        }
    }

  private:
    static constexpr size_t kArea_bytes = 64 * 1024;

    struct MemoryArea {
        std::atomic<size_t> used_bytes{sizeof(MemoryArea)};
    };

    static void* mapped(size_t size_bytes) noexcept
    {
        void* const memory =
            mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory != MAP_FAILED ? memory : nullptr;
    }

    std::atomic<MemoryArea*> m_area{nullptr};
};

constinit EntryMemory g_memory;

// Creates an entry with that string and no other values. If there is no room, returns nullptr and counts the
// failure.
NamedText* makeEntry(std::string_view text) noexcept
{
    const size_t size_bytes = sizeof(NamedText) + text.size();
    void* memory = nullptr;
    if (g_used_bytes.fetch_add(size_bytes) + size_bytes <= NameRegistry::kLimit_bytes)
        memory = g_memory.take(size_bytes);
    if (memory == nullptr) {
        g_used_bytes.fetch_sub(size_bytes);
        nameRegistry().refused.fetch_add(1);
        return nullptr;
    }
    auto* const entry = new (memory) NamedText;
    entry->size_bytes = static_cast<uint32_t>(text.size());
    char* const bytes = static_cast<char*>(memory) + offsetof(NamedText, text);
    std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
    return entry;
}

// Searches from `entry` up to, but not including, `end`.
const NamedText* findBefore(const NamedText* entry, const NamedText* end, std::string_view text) noexcept
{
    for (; entry != end; entry = entry->next) {
        if (entry->view() == text) return entry;
    }
    return nullptr;
}

} // namespace

NameRegistry& nameRegistry() noexcept
{
    static constinit NameRegistry registry;
    return registry;
}

const NamedText* NameList::add(std::string_view text, uint64_t number, uint64_t owner,
                               uint64_t extra) noexcept
{
    NamedText* const entry = makeEntry(text);
    if (entry == nullptr) return nullptr;
    entry->number = number;
    entry->owner = owner;
    entry->extra = extra;
    entry->next = m_newest.load(std::memory_order_relaxed);
    while (!m_newest.compare_exchange_weak(entry->next, entry, std::memory_order_release)) {
    }
    return entry;
}

const NamedText* NameList::addChanged(std::string_view text, uint64_t number, uint64_t owner,
                                      uint64_t extra) noexcept
{
    for (const NamedText* entry = newest(); entry != nullptr; entry = entry->next) {
        if (entry->number != number || entry->owner != owner || entry->extra != extra) continue;
        if (entry->view() == text) return entry;
        break;
    }
    return add(text, number, owner, extra);
}

const RegisteredText* TextTable::add(std::string_view text) noexcept
{
    return m_lists[XXH3_64bits(text.data(), text.size()) % kLists].addOnce(text, 0);
}

const NamedText* NameList::addOnce(std::string_view text, uint64_t number) noexcept
{
    const NamedText* last = newest();
    if (const NamedText* const known = findBefore(last, nullptr, text)) return known;
    NamedText* const entry = makeEntry(text);
    if (entry == nullptr) return find(text);
    entry->number = number;
    while (true) {
        entry->next = last;
        const NamedText* now = last;
        if (m_newest.compare_exchange_weak(now, entry, std::memory_order_acq_rel)) return entry;
        // Checks what other threads have added in the meantime. If the new entry is not needed, its memory
        // remains in use, which rarely happens.
        if (const NamedText* const known = findBefore(now, last, text)) return known;
        last = now;
    }
}

const NamedText* NameList::find(std::string_view text) const noexcept
{
    return findBefore(newest(), nullptr, text);
}

const NamedText* NameList::findNumber(uint64_t number) const noexcept
{
    for (const NamedText* entry = newest(); entry != nullptr; entry = entry->next) {
        if (entry->number == number) return entry;
    }
    return nullptr;
}

const Domain* domainNamed(std::string_view name) noexcept
{
    NameRegistry& registry = nameRegistry();
    if (const Domain* const known = registry.domains.find(name)) return known;
    return registry.domains.addOnce(name, registry.lastDomain.fetch_add(1) + 1);
}

} // namespace lockstep::capture
