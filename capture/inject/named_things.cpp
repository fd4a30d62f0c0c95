// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/named_things.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace lockstep::capture {

namespace {

std::atomic<uint64_t> g_used_bytes{0};

} // namespace

NamedThings& namedThings() noexcept
{
    static constinit NamedThings things;
    return things;
}

const NamedText* NameList::add(std::string_view text, uint64_t number, uint64_t owner,
                               uint64_t extra) noexcept
{
    const size_t size_bytes = sizeof(NamedText) + text.size();
    if (g_used_bytes.fetch_add(size_bytes) + size_bytes > NamedThings::kLimit_bytes) {
        g_used_bytes.fetch_sub(size_bytes);
        namedThings().refused.fetch_add(1);
        return nullptr;
    }
    void* const memory = std::malloc(size_bytes);
    if (memory == nullptr) {
        namedThings().refused.fetch_add(1);
        return nullptr;
    }
    auto* const entry = new (memory) NamedText;
    entry->number = number;
    entry->owner = owner;
    entry->extra = extra;
    entry->size_bytes = static_cast<uint32_t>(text.size());
    char* const bytes = static_cast<char*>(memory) + offsetof(NamedText, text);
    std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
    const NamedText* last = m_newest.load(std::memory_order_relaxed);
    do {
        entry->next = last;
    } while (!m_newest.compare_exchange_weak(last, entry, std::memory_order_release));
    return entry;
}

const NamedText* NameList::find(std::string_view text) const noexcept
{
    for (const NamedText* entry = newest(); entry != nullptr; entry = entry->next) {
        if (entry->view() == text) return entry;
    }
    return nullptr;
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
    NamedThings& things = namedThings();
    if (const Domain* const known = things.domains.find(name)) return known;
    return things.domains.add(name, things.lastDomain.fetch_add(1) + 1);
}

} // namespace lockstep::capture
