// SPDX-License-Identifier: Apache-2.0
// ClockPacket: one datagram of the clock exchange between the hosts of one run, 88 bytes both ways, so that a
// reply is never longer than what asked for it. Made and read by ClockExchange; a plain value, any thread.
//
// Little-endian: magic "LSCX", version 1, kind (1 request, 2 reply), 2 zero bytes, nonce u64, from u32, to
// u32 (numbers of hosts), the sender's boot id (16 bytes), received i64, sent i64, wall i64, doubt u32, 4
// zero bytes, and 16 bytes of HMAC-SHA-256 under the run's token over all that stands before. A MAC and not
// the token itself: who listens in the job's network could repeat a token and state any clock; who only
// delays or drops datagrams makes bounds wider, never wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::agent {

using ClockToken = std::array<unsigned char, 16>;
using BootId = std::array<unsigned char, 16>;

struct ClockPacket {
    static constexpr size_t kSize_bytes = 88;
    using Bytes = std::array<unsigned char, kSize_bytes>;

    bool isReply = false;
    uint64_t nonce = 0; // of the request; rises with every request of a host
    uint32_t from = 0;
    uint32_t to = 0;
    BootId boot{};
    // Of a reply, else 0. CLOCK_MONOTONIC_RAW, ns: when the request came and when this was sent.
    int64_t received_ns = 0;
    int64_t sent_ns = 0;
    int64_t wall_ns = 0;   // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW, between the two
    uint32_t doubt_ns = 0; // of wall_ns, either way

    friend bool operator==(const ClockPacket&, const ClockPacket&) = default;
};

// About 2 us.
ClockPacket::Bytes bytesOfPacket(const ClockPacket& packet, const ClockToken& token);

enum class PacketFlaw : uint8_t {
    none,
    malformed, // another length, magic, version or kind, or a value where zero must be
    foreign    // all in order but the MAC: another run's, or forged
};

// Absent with a flaw. Whatever the bytes are.
std::optional<ClockPacket> packetFromBytes(std::string_view bytes, const ClockToken& token, PacketFlaw& flaw);

// 32 hexadecimal digits, with or without hyphens; absent where the text is another.
std::optional<std::array<unsigned char, 16>> sixteenBytes(std::string_view text);
// "01234567-89ab-cdef-0123-456789abcdef".
std::string bootIdText(const BootId& boot);

// Requests of one host that were answered: each nonce once, and none that is 64 behind the greatest.
class ReplayWindow {
  public:
    // False: seen before, or too old to tell.
    bool take(uint64_t nonce);

  private:
    uint64_t m_greatest = 0;
    uint64_t m_seen = 0; // bit k: m_greatest - k
};

} // namespace lockstep::agent
