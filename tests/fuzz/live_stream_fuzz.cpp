// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as an agent's live stream, in portions whose sizes come from the bytes. The frames must not
// depend on the portions; the alternative is an end with a reason. The stream never buffers more than one
// frame.
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "core/readers/capture_spool/live_stream.h"

namespace {

using namespace lockstep;

struct Read {
    std::vector<std::string> frames; // kind, fields, payload
    std::string problem;

    friend bool operator==(const Read&, const Read&) = default;
};

void takeFrames(LiveFrames& stream, Read& read)
{
    while (const auto frame = stream.next()) {
        if (frame->payload.size() > LiveFrames::kMaxPayload_bytes) std::abort();
        read.frames.push_back(frame->kind + '\n' + std::to_string(frame->head.size()) + '\n' +
                              frame->payload);
    }
    if (stream.isBroken() && stream.bufferedBytes() > 0)
        std::abort(); // nothing after the error is read or buffered
    if (stream.bufferedBytes() > LiveFrames::kMaxHead_bytes + LiveFrames::kMaxPayload_bytes + 65'536)
        std::abort();
    read.problem = stream.problem();
}

Read readIn(std::string_view bytes, size_t portion)
{
    LiveFrames stream;
    Read read;
    for (size_t at = 0; at < bytes.size(); at += portion) {
        stream.add(bytes.substr(at, portion));
        takeFrames(stream, read);
    }
    return read;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 1) return 0;
    const size_t portion = 1 + data[0];
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (readIn(bytes, portion) != readIn(bytes, bytes.size() + 1)) std::abort();
    return 0;
}
