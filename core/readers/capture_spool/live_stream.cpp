// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/live_stream.h"

#include "core/base/peer_json.h"

namespace lockstep {

std::string liveFrame(const char* kind, const Json& fields, std::string_view payload)
{
    Json head{{"kind", kind}, {"bytes", payload.size()}};
    for (const auto& [name, value] : fields.items())
        head[name] = value;
    std::string bytes = jsonLine(head);
    bytes += '\n';
    bytes += payload;
    return bytes;
}

void LiveFrames::add(std::string_view bytes)
{
    if (isBroken()) return;
    if (m_done > m_bytes.size() / 2) {
        m_bytes.erase(0, m_done);
        m_done = 0;
    }
    m_bytes += bytes;
}

void LiveFrames::fail(std::string problem)
{
    m_problem = std::move(problem);
    m_bytes = {};
    m_done = 0;
}

std::optional<LiveFrame> LiveFrames::next()
{
    if (isBroken()) return {};
    const std::string_view rest = std::string_view(m_bytes).substr(m_done);
    const size_t end = rest.substr(0, kMaxHead_bytes).find('\n');
    if (end == std::string_view::npos) {
        if (rest.size() >= kMaxHead_bytes) fail("a frame header has no end");
        return {};
    }
    LiveFrame frame;
    frame.head = jsonFromPeer(rest.substr(0, end));
    frame.kind = textAt(frame.head, "kind");
    const auto size = numberAt(frame.head, "bytes");
    if (frame.kind.empty() || !size || *size < 0) {
        fail("received data is not a valid frame");
        return {};
    }
    if (static_cast<uint64_t>(*size) > kMaxPayload_bytes) {
        fail("a frame claims to contain " + std::to_string(*size) + " bytes");
        return {};
    }
    const auto payload = static_cast<size_t>(*size);
    if (rest.size() - end - 1 < payload) return {};
    frame.payload = rest.substr(end + 1, payload);
    m_done += end + 1 + payload;
    return frame;
}

} // namespace lockstep
