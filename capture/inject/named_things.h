// SPDX-License-Identifier: Apache-2.0
// NamedThings: the domains, registered texts, categories, threads, resources and payload schemas that the
// program names. Lists that only grow, one atomic pointer each, so that any thread may add while another
// forks: nothing is locked, nothing is freed, a forked child goes on with what its parent named. Bounded:
// what would take more than kLimit_bytes is refused and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace lockstep::capture {

struct NamedText {
    const NamedText* next = nullptr;
    uint64_t number = 0; // domain, thread, category or resource id
    uint64_t owner = 0;  // domain of a category; type of a resource
    uint64_t extra = 0;  // identifier type of a resource
    uint32_t size_bytes = 0;
    char text[4] = {}; // size_bytes of them, then a zero

    std::string_view view() const noexcept { return {text, size_bytes}; }
};

// What a handle of NVTX points to.
using RegisteredText = NamedText;
using Domain = NamedText; // number = its id; 0 is the default domain, which has no handle

class NameList {
  public:
    const NamedText* newest() const noexcept { return m_newest.load(std::memory_order_acquire); }
    // nullptr when there is no room.
    const NamedText* add(std::string_view text, uint64_t number, uint64_t owner = 0,
                         uint64_t extra = 0) noexcept;
    // The same, but where the newest of that number, owner and extra has that text already, it is returned: a
    // program may name its threads again at each step.
    const NamedText* addChanged(std::string_view text, uint64_t number, uint64_t owner = 0,
                                uint64_t extra = 0) noexcept;
    // The same where there is none of that text, else the one that there is, whichever thread made it.
    const NamedText* addOnce(std::string_view text, uint64_t number) noexcept;
    // The newest with that text, or nullptr.
    const NamedText* find(std::string_view text) const noexcept;
    // The newest with that number, or nullptr.
    const NamedText* findNumber(uint64_t number) const noexcept;

  private:
    std::atomic<const NamedText*> m_newest{nullptr};
};

// Registered texts: each text is stored once, however often a program registers it. A table of lists; finding
// a text takes as long as its list, and grows beyond some entries only with a million of different texts.
class TextTable {
  public:
    // The handle of the text; nullptr when there is no room.
    const RegisteredText* add(std::string_view text) noexcept;

  private:
    static constexpr size_t kLists = 1u << 14;
    NameList m_lists[kLists];
};

struct NamedThings {
    NameList domains;
    TextTable texts;
    NameList categories; // number of `owner` domain
    NameList threads;    // number = thread id
    NameList resources;
    NameList schemas; // JSON; number = schema id, owner = domain
    std::atomic<uint64_t> refused{0};
    std::atomic<uint32_t> lastDomain{0};

    static constexpr uint64_t kLimit_bytes = 64u << 20;
};

// The process's one.
NamedThings& namedThings() noexcept;

// nvtxDomainCreate: one domain for each name. nullptr when there is no room.
const Domain* domainNamed(std::string_view name) noexcept;

} // namespace lockstep::capture
