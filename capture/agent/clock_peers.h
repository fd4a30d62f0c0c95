// SPDX-License-Identifier: Apache-2.0
// ClockPeers: what the launcher tells an agent once it knows where all agents of the run listen: the run's
// token, this host's number, and whom to ask. It stands in the run folder as clock_peers.json (0600, removed
// with the run's end) so that a supervisor that takes over finds it; the token is in no plan, no log and on
// no command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/clock_packet.h"
#include "core/base/result.h"

namespace lockstep::agent {

struct ClockPeer {
    static constexpr size_t kMostAddresses = 8;

    uint32_t number = 0;                // of the host in the run
    std::string host;                   // as the plan calls it
    std::vector<std::string> addresses; // IPv4 and IPv6 as numbers, tried in this order
    uint16_t port = 0;

    friend bool operator==(const ClockPeer&, const ClockPeer&) = default;
};

struct ClockPeers {
    static constexpr size_t kMostPeers = 8;
    static constexpr uint32_t kMostHosts = 65'536;

    ClockToken token{};
    uint32_t self = 0;
    uint32_t hosts = 0;           // of the run: greater numbers are nobody's
    std::vector<ClockPeer> peers; // asked by this host

    friend bool operator==(const ClockPeers&, const ClockPeers&) = default;
};

// {"token": HEX, "self": N, "hosts": N, "peers": [{"number", "host", "addresses": [TEXT], "port"}]}. corrupt:
// not that, or more than the limits above; the message has nothing of the token.
Result<ClockPeers> clockPeersFromJson(std::string_view text);

// Addresses of this machine's interfaces that are up, as numbers: those that others may reach first; those of
// the machine itself only where there are no others. At most ClockPeer::kMostAddresses. Instead of them those
// of LOCKSTEP_AGENT_ADDRESSES, separated by commas, where a host has networks that others cannot use.
std::vector<std::string> listenAddresses();

} // namespace lockstep::agent
