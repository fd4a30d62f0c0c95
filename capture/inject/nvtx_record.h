// SPDX-License-Identifier: Apache-2.0
// What one NVTX call becomes: the calls of all modules and extensions end here. Any thread, noexcept; each
// costs a stamp, a hash of its text and some stores. In a signal handler, too: what a handler records while
// the thread it interrupted is itself recording is dropped, and counted as lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/inject/named_things.h"
#include "capture/inject/nvtx_abi.h"
#include "capture/inject/thread_lane.h"

namespace lockstep::capture {

// A call's text as UTF-8 for as long as this lives.
class CallText {
  public:
    CallText() = default;
    explicit CallText(const char* text) noexcept;
    explicit CallText(const wchar_t* text) noexcept;
    CallText(int32_t messageType, const nvtx::Message& message) noexcept;
    ~CallText();
    CallText(const CallText&) = delete;
    CallText& operator=(const CallText&) = delete;

    const TextArgument& argument() const noexcept { return m_argument; }
    std::string_view view() const noexcept { return m_argument.view(); }

  private:
    void takeWide(const wchar_t* text) noexcept;

    TextArgument m_argument;
    char* m_mapped = nullptr; // a long wide text
    size_t m_mapped_bytes = 0;
    char m_small[256];
};

// Counts what calls lose of their details, of all threads.
struct CallLosses {
    std::atomic<uint64_t> cutTexts{0}; // longer than 1 MiB
    std::atomic<uint64_t> payloads{0}; // larger than 64 KiB, or beyond 16 of one call
};
CallLosses& callLosses() noexcept;

// What event attributes say beyond their text. isPlain: nothing.
struct CallDetails {
    RingExtension extension = {};
    bool isPlain = true;
    const nvtx::PayloadBytes* payloads = nullptr;
    size_t payloadCount = 0;

    CallDetails() = default;
    explicit CallDetails(const nvtx::EventAttributes& attributes) noexcept;
    CallDetails(const nvtx::PayloadBytes* bytes, size_t count) noexcept;
};

// The depth that the range has, from 0; nvtx::kNoDepth where it is not counted.
int recordPush(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;
int recordPop(const Domain* domain, const CallDetails& details) noexcept;
// The range's id, never 0.
uint64_t recordStart(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;
void recordEnd(const Domain* domain, uint64_t id, const CallDetails& details) noexcept;
void recordMark(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;

} // namespace lockstep::capture
