// SPDX-License-Identifier: Apache-2.0
// The live stream: what `lockstep-agent live` writes to its standard output while a run goes on, frame by
// frame (capture/format/FORMAT.md, "The live stream"). liveFrame() is the agent's, LiveFrames the window's,
// which believes nothing: what is too long or no frame ends the stream. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_fields.h"

namespace lockstep {

// Words of the stream, and of the notes in it.
namespace liveWord {
inline constexpr const char* kHello = "hello";
inline constexpr const char* kFile = "file";
inline constexpr const char* kBlock = "block";
inline constexpr const char* kSkipped = "skipped";
inline constexpr const char* kLag = "lag";
inline constexpr const char* kNote = "note";
inline constexpr const char* kDone = "done";
inline constexpr const char* kEnd = "end";
} // namespace liveWord

struct LiveFrame {
    std::string kind; // liveWord, or a later agent's, which is passed over
    Json head;
    std::string payload;
};

// A frame's bytes: the fields on one line, behind "kind" and "bytes", then the payload.
std::string liveFrame(const char* kind, const Json& fields, std::string_view payload = {});

class LiveFrames {
  public:
    static constexpr size_t kMostHead_bytes = 64 * 1024;
    static constexpr size_t kMostPayload_bytes = 17 << 20; // a block of 16 MiB that did not pack

    void add(std::string_view bytes);
    // The next whole frame; none: more bytes are needed, or isBroken().
    std::optional<LiveFrame> next();
    // What came is no frame; nothing behind it is read, nor kept.
    bool isBroken() const { return !m_problem.empty(); }
    const std::string& problem() const { return m_problem; } // for people
    // Held for frames that are not whole yet; at most a head and a payload and what was added last.
    size_t heldBytes() const { return m_bytes.size() - m_done; }

  private:
    void breakOff(std::string problem);

    std::string m_bytes;
    size_t m_done = 0; // of m_bytes, given out
    std::string m_problem;
};

} // namespace lockstep
