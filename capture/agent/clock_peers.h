// SPDX-License-Identifier: Apache-2.0
// ClockPeers is what the launcher tells an agent once it knows where all agents of the run listen: the run's
// token, the ID of this host, and the peers to query. It is stored in the run folder as clock_peers.json
// (mode 0600, removed when the run ends), so that a new supervisor finds it. The token appears in no plan, in
// no log and on no command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/clock_packet.h"
#include "core/base/result.h"

namespace lockstep::agent {

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
