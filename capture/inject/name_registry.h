// SPDX-License-Identifier: Apache-2.0
// NameRegistry holds the domains, registered strings, categories, threads, resources and payload schemas that
// the program names. The lists only grow and have one atomic pointer each, so any thread may add entries
// while another thread forks. Nothing is locked or freed, and a forked child continues with the entries of
// its parent. Memory is bounded: additions beyond kLimit_bytes are refused and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace lockstep::capture {

struct NamedText {
    const NamedText* next = nullptr;
    uint64_t number = 0; // ID of a domain, thread, category or resource
    uint64_t owner = 0;  // domain of a category; type of a resource
    uint64_t extra = 0;  // identifier type of a resource
    uint32_t size_bytes = 0;
    char text[4] = {}; // size_bytes characters, then a zero

    std::string_view view() const noexcept { return {text, size_bytes}; }
};

// What an NVTX handle points to.
using RegisteredText = NamedText;
using Domain = NamedText; // number = ID; 0 is the default domain, which has no handle

class NameList {
  public:
    const NamedText* newest() const noexcept { return m_newest.load(std::memory_order_acquire); }
    // Adds an entry. Returns nullptr if there is no room.
    const NamedText* add(std::string_view text, uint64_t number, uint64_t owner = 0,
                         uint64_t extra = 0) noexcept;
    // Same as add(), but returns the newest entry with that number, owner and extra if it already has that
    // text, because a program may name its threads again in each step.
    const NamedText* addChanged(std::string_view text, uint64_t number, uint64_t owner = 0,
                                uint64_t extra = 0) noexcept;
    // Same as add() if no entry has that string. Otherwise returns the existing entry, regardless of which
    // thread added it.
    const NamedText* addOnce(std::string_view text, uint64_t number) noexcept;
    // Returns the newest entry with that string, or nullptr.
    const NamedText* find(std::string_view text) const noexcept;
    // Returns the newest entry with that number, or nullptr.
    const NamedText* findNumber(uint64_t number) const noexcept;

  private:
    std::atomic<const NamedText*> m_newest{nullptr};
};

// TextTable holds registered strings. Each string is stored once, regardless of how often a program registers
// it. It is a hash table of lists. A lookup takes as long as searching one list, and a list exceeds a few
// entries only with a million different strings.
class TextTable {
  public:
    // Returns the handle of the string, or nullptr if there is no room.
    const RegisteredText* add(std::string_view text) noexcept;

  private:
    static constexpr size_t kLists = 1u << 14;
    NameList m_lists[kLists];
};

struct NameRegistry {
    NameList domains;
    TextTable texts;
    NameList categories; // owner = domain
    NameList threads;    // number = thread ID
    NameList resources;
    NameList schemas; // JSON; number = schema ID, owner = domain
    std::atomic<uint64_t> refused{0};
    std::atomic<uint32_t> lastDomain{0};

    static constexpr uint64_t kLimit_bytes = 64u << 20;
};

// Returns the object of this process.
NameRegistry& nameRegistry() noexcept;

// Implements nvtxDomainCreate: one domain per name. Returns nullptr if there is no room.
const Domain* domainNamed(std::string_view name) noexcept;

} // namespace lockstep::capture
