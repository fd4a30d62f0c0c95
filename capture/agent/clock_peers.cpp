// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_peers.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

constexpr size_t kLongestAddress = 64;
constexpr size_t kLongestHost = 1024;

tl::unexpected<Error> notPeers(std::string_view reason)
{
    return makeError(ErrorKind::corrupt, "invalid list of clock exchange peers: " + std::string(reason));
}

Result<ClockPeer> clockPeerFrom(const Json& object, uint32_t hosts)
{
    ClockPeer peer;
    const auto number = numberAt(object, "number");
    const auto port = numberAt(object, "port");
    if (!number || *number < 0 || *number >= hosts) return notPeers("a peer's number");
    if (!port || *port < 1 || *port > 65'535) return notPeers("a peer's port");
    peer.number = static_cast<uint32_t>(*number);
    peer.port = static_cast<uint16_t>(*port);
    peer.host = textAt(object, "host");
    if (peer.host.empty() || peer.host.size() > kLongestHost) return notPeers("a peer's name");
    for (const Json& address : listAt(object, "addresses")) {
        if (!address.is_string() || address.get_ref<const std::string&>().size() > kLongestAddress ||
            peer.addresses.size() == ClockPeer::kMaxAddresses)
            return notPeers("a peer's addresses");
        peer.addresses.push_back(address.get<std::string>());
    }
    return peer;
}

// Selects addresses that a peer in the same network can reach, which excludes loopback and link-local
// addresses.
bool isLinkLocal(const sockaddr* address)
{
    if (address->sa_family != AF_INET6) return false;
    return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

std::vector<std::string> configuredAddresses(std::string_view list)
{
    std::vector<std::string> out;
    while (!list.empty() && out.size() < ClockPeer::kMaxAddresses) {
        const size_t end = std::min(list.find(','), list.size());
        if (end > 0) out.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return out;
}

std::string numericText(const sockaddr* address)
{
    char text[INET6_ADDRSTRLEN] = {};
    const void* bytes =
        address->sa_family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
            : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return ::inet_ntop(address->sa_family, bytes, text, sizeof text) != nullptr ? text : "";
}

} // namespace

Result<ClockPeers> clockPeersFromJson(std::string_view text)
{
    const Json object = LOCKSTEP_TRY(objectFromJson(text, "the list of clock exchange peers"));
    ClockPeers out;
    const auto token = sixteenBytes(textAt(object, "token"));
    if (!token) return notPeers("the token");
    out.token = *token;
    const auto hosts = numberAt(object, "hosts");
    if (!hosts || *hosts < 1 || *hosts > ClockPeers::kMaxHosts) return notPeers("the number of hosts");
    out.hosts = static_cast<uint32_t>(*hosts);
    const auto self = numberAt(object, "self");
    if (!self || *self < 0 || *self >= *hosts) return notPeers("this host's number");
    out.self = static_cast<uint32_t>(*self);
    std::set<uint32_t> numbers{out.self};
    for (const Json& one : listAt(object, "peers")) {
        if (out.peers.size() == ClockPeers::kMaxPeers) return notPeers("too many peers");
        out.peers.push_back(LOCKSTEP_TRY(clockPeerFrom(one, out.hosts)));
        if (!numbers.insert(out.peers.back().number).second) return notPeers("duplicate peer number");
    }
    return out;
}

std::vector<std::string> listenAddresses()
{
    if (const char* const said = std::getenv("LOCKSTEP_AGENT_ADDRESSES"); said != nullptr && *said != '\0')
        return configuredAddresses(said);
    std::vector<std::string> own, machine;
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    for (const int family : {AF_INET, AF_INET6}) {
        for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
            if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != family) continue;
            if ((at->ifa_flags & IFF_UP) == 0 || isLinkLocal(at->ifa_addr)) continue;
            ((at->ifa_flags & IFF_LOOPBACK) != 0 ? machine : own).push_back(numericText(at->ifa_addr));
        }
    }
    ::freeifaddrs(first);
    std::vector<std::string>& out = own.empty() ? machine : own;
    out.resize(std::min(out.size(), ClockPeer::kMaxAddresses));
    return out;
}

} // namespace lockstep::agent
