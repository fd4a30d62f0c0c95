// SPDX-License-Identifier: Apache-2.0
// The live stream: the frames that `lockstep-agent live` writes to its standard output during a run
// (capture/format/FORMAT.md, "The live stream"). The agent uses liveFrame(), and the window uses LiveFrames.
// LiveFrames does not trust its input: frames that are too long or invalid end the stream. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_fields.h"

namespace lockstep {

// The words that occur as kinds of frames and as names of notes in the stream.
namespace liveWord {
inline constexpr const char* kHello = "hello";
inline constexpr const char* kFile = "file";
inline constexpr const char* kBlock = "block";
inline constexpr const char* kRecords = "records";
inline constexpr const char* kLines = "lines";
inline constexpr const char* kSkipped = "skipped";
inline constexpr const char* kLag = "lag";
inline constexpr const char* kNote = "note";
inline constexpr const char* kDone = "done";
inline constexpr const char* kEnd = "end";
} // namespace liveWord

struct LiveFrame {
    std::string kind; // one of liveWord; kinds from newer agents are skipped
    Json head;
    std::string payload;
};

// Returns a frame: the fields on one line, after "kind" and "bytes", followed by the payload.
std::string liveFrame(const char* kind, const Json& fields, std::string_view payload = {});

class LiveFrames {
  public:
    static constexpr size_t kMaxHead_bytes = 64 * 1024;
    static constexpr size_t kMaxPayload_bytes = 17 << 20; // room for an incompressible block of 16 MiB

    void add(std::string_view bytes);
    // Returns the next complete frame, or nullopt if more bytes are needed or isBroken() is true.
    std::optional<LiveFrame> next();
    // Returns true after an invalid frame; the rest of the stream is neither read nor stored.
    bool isBroken() const { return !m_problem.empty(); }
    const std::string& problem() const { return m_problem; } // message for the user
    // Returns the number of bytes buffered for incomplete frames: at most a header, a payload and the bytes
    // added last.
    size_t bufferedBytes() const { return m_bytes.size() - m_done; }

  private:
    void fail(std::string problem);

    std::string m_bytes;
    size_t m_done = 0; // number of bytes at the start of m_bytes that next() has already returned
    std::string m_problem;
};

} // namespace lockstep
