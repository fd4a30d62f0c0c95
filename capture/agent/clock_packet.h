// SPDX-License-Identifier: Apache-2.0
// ClockPacket is one datagram of the clock exchange between the hosts of one run. Requests and replies both
// have 88 bytes, so a reply is never longer than its request. Created and parsed by ClockExchange; a plain
// value, any thread.
//
// Little-endian: magic "LSCX", version 1, kind (1 request, 2 reply), 2 zero bytes, nonce u64, from u32, to
// u32 (IDs of hosts), boot ID of the sender (16 bytes), received i64, sent i64, wall i64, doubt u32, 4 zero
// bytes, and 16 bytes of HMAC-SHA-256 over all preceding bytes, with the run's token as the key. The packet
// contains a MAC instead of the token, because an eavesdropper on the network could otherwise copy the token
// and forge clock timestamps. Delaying or dropping datagrams makes error bounds wider, but never wrong.
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
    uint64_t nonce = 0; // nonce of the request; increases with every request of a host
    uint32_t from = 0;
    uint32_t to = 0;
    BootId boot{};
    // Set in replies, otherwise 0. CLOCK_MONOTONIC_RAW in ns: when the request arrived and when this reply
    // was sent.
    int64_t received_ns = 0;
    int64_t sent_ns = 0;
    int64_t wall_ns = 0; // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW, read between `received_ns` and `sent_ns`
    uint32_t uncertainty_ns = 0; // error bound of wall_ns, plus or minus

    friend bool operator==(const ClockPacket&, const ClockPacket&) = default;
};

// Encodes a packet. Takes about 2 us.
ClockPacket::Bytes bytesOfPacket(const ClockPacket& packet, const ClockToken& token);

enum class PacketDefect : uint8_t {
    none,
    malformed, // wrong length, magic, version or kind, or nonzero bytes where zero is required
    foreign    // valid except for the MAC: from another run, or forged
};

// Decodes a datagram. Returns nullopt and sets `flaw` if it is invalid. Accepts any bytes.
std::optional<ClockPacket> packetFromBytes(std::string_view bytes, const ClockToken& token,
                                           PacketDefect& defect);

// Parses 32 hexadecimal digits, with or without hyphens. Returns nullopt for other text.
std::optional<std::array<unsigned char, 16>> sixteenBytes(std::string_view text);
// Formats a boot id: "01234567-89ab-cdef-0123-456789abcdef".
std::string bootIdText(const BootId& boot);

// ReplayWindow accepts each nonce of a host once. It rejects nonces that are at least 64 below the greatest
// nonce so far.
class ReplayWindow {
  public:
    // Returns false if the nonce was seen before or is too old to check.
    bool take(uint64_t nonce);

  private:
    uint64_t m_greatest = 0;
    uint64_t m_seen = 0; // bit k stands for the nonce m_greatest - k
};

} // namespace lockstep::agent
