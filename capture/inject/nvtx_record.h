// SPDX-License-Identifier: Apache-2.0
// Records NVTX calls; calls from all modules and extensions end up here. Any thread, noexcept. Each call
// costs a timestamp, a hash of its text and some stores. May run in a signal handler. If the interrupted
// thread is itself recording, the records of the handler are dropped and counted as lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/inject/name_registry.h"
#include "capture/inject/nvtx_abi.h"
#include "capture/inject/thread_lane.h"

namespace lockstep::capture {

// CallText is the string of a call as UTF-8. The bytes are valid during the lifetime of the object.
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
    void setWide(const wchar_t* text) noexcept;

    TextArgument m_argument;
    char* m_mapped = nullptr; // mapping for a long wide-character text
    size_t m_mapped_bytes = 0;
    char m_small[256];
};

// Counts lost details of calls, over all threads.
struct CallLosses {
    std::atomic<uint64_t> cutTexts{0}; // number of strings longer than 1 MiB
    // Number of payloads that are larger than 64 KiB, or that exceed the limit of 16 per call.
    std::atomic<uint64_t> payloads{0};
};
CallLosses& callLosses() noexcept;

// Content of event attributes other than their text. isPlain: there is no such content.
struct CallDetails {
    RingExtension extension = {};
    bool isPlain = true;
    const nvtx::PayloadBytes* payloads = nullptr;
    size_t payloadCount = 0;

    CallDetails() = default;
    explicit CallDetails(const nvtx::EventAttributes& attributes) noexcept;
    CallDetails(const nvtx::PayloadBytes* bytes, size_t count) noexcept;
};

// Returns the zero-based depth of the range, or nvtx::kNoDepth if the depth is not tracked.
int recordPush(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;
int recordPop(const Domain* domain, const CallDetails& details) noexcept;
// Returns the ID of the range, never 0.
uint64_t recordStart(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;
void recordEnd(const Domain* domain, uint64_t id, const CallDetails& details) noexcept;
void recordMark(const Domain* domain, const CallText& text, const CallDetails& details) noexcept;

} // namespace lockstep::capture
