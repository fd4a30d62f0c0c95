// SPDX-License-Identifier: Apache-2.0
// ClockPeers contains what the launcher sends to an agent once it knows where all agents of the run listen:
// the run's token, the ID of this host, and the peers to query. It is stored in the run folder as
// clock_peers.json (mode 0600, removed when the run ends), so that a new supervisor finds it. The token
// appears in no plan, in no log and on no command line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::agent {

// ClockPacket is one datagram of the clock exchange between the hosts of one run. Requests and replies both
// have 88 bytes, so a reply is never longer than its request. Created and parsed by ClockExchange; a plain
// value, any thread.  Little-endian: magic "LSCX", version 1, kind (1 request, 2 reply), 2 zero bytes, nonce
// u64, from u32, to u32 (IDs of hosts), boot ID of the sender (16 bytes), received i64, sent i64, wall i64,
// uncertainty u32, 4 zero bytes, and 16 bytes of HMAC-SHA-256 over all preceding bytes, with the run's token
// as the key. The packet contains a MAC instead of the token, because an eavesdropper on the network could
// otherwise copy the token and forge clock timestamps. Delaying or dropping datagrams makes error bounds
// wider, but never wrong.
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

// Decodes a datagram. Returns nullopt and sets `defect` if it is invalid. Accepts any bytes.
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

struct ClockPeer {
    static constexpr size_t kMaxAddresses = 8;

    uint32_t number = 0;                // ID of the host in the run
    std::string host;                   // name in the plan
    std::vector<std::string> addresses; // numeric IPv4 and IPv6 addresses, tried in this order
    uint16_t port = 0;

    friend bool operator==(const ClockPeer&, const ClockPeer&) = default;
};

struct ClockPeers {
    static constexpr size_t kMaxPeers = 8;
    static constexpr uint32_t kMaxHosts = 65'536;

    ClockToken token{};
    uint32_t self = 0;
    uint32_t hosts = 0;           // number of hosts in the run; greater IDs are invalid
    std::vector<ClockPeer> peers; // queried by this host

    friend bool operator==(const ClockPeers&, const ClockPeers&) = default;
};

// Parses {"token": HEX, "self": N, "hosts": N, "peers": [{"number", "host", "addresses": [TEXT], "port"}]}.
// Returns corrupt if the text is invalid or exceeds the limits above. The message never includes any part of
// the token.
Result<ClockPeers> clockPeersFromJson(std::string_view text);

// Returns the numeric addresses of the machine's interfaces that are up, at most ClockPeer::kMaxAddresses.
// Addresses that other hosts may reach come first. Loopback addresses are returned only if there are no
// others. LOCKSTEP_AGENT_ADDRESSES (separated by commas) overrides the result, for hosts with networks that
// other hosts cannot use.
std::vector<std::string> listenAddresses();

} // namespace lockstep::agent
