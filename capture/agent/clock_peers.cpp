// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_peers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include "core/base/json_fields.h"
#include "core/base/sha256.h"

namespace lockstep::agent {

namespace {

constexpr std::array<unsigned char, 4> kMagic{'L', 'S', 'C', 'X'};
constexpr unsigned char kVersion = 1;
constexpr size_t kMacAt = 72;
constexpr size_t kMac_bytes = 16;
constexpr size_t kHashBlock_bytes = 64;

template<class T>
void writeAt(ClockPacket::Bytes& bytes, size_t at, T value)
{
    for (size_t i = 0; i < sizeof value; ++i)
        bytes[at + i] = static_cast<unsigned char>(static_cast<uint64_t>(value) >> (8 * i));
}

template<class T>
T readAt(std::string_view bytes, size_t at)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
        value |= uint64_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return static_cast<T>(value);
}

int digitOf(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string digestOf(std::string_view bytes)
{
    const std::string hex = Sha256::of(bytes);
    std::string digest;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        digest += static_cast<char>(digitOf(hex[i]) << 4 | digitOf(hex[i + 1]));
    return digest;
}

// HMAC of RFC 2104, truncated to its first 16 bytes.
std::string macOf(std::string_view bytes, const ClockToken& token)
{
    std::string inner(kHashBlock_bytes, '\x36'), outer(kHashBlock_bytes, '\x5c');
    for (size_t i = 0; i < token.size(); ++i) {
        inner[i] = static_cast<char>(inner[i] ^ token[i]);
        outer[i] = static_cast<char>(outer[i] ^ token[i]);
    }
    return digestOf(outer + digestOf(inner + std::string(bytes))).substr(0, kMac_bytes);
}

// Compares in constant time, so that timing does not reveal how many bytes match.
bool areEqual(std::string_view a, std::string_view b)
{
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i)
        different |= static_cast<unsigned char>(a[i] ^ b[i]);
    return different == 0;
}

} // namespace

ClockPacket::Bytes bytesOfPacket(const ClockPacket& packet, const ClockToken& token)
{
    ClockPacket::Bytes bytes{};
    std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
    bytes[4] = kVersion;
    bytes[5] = packet.isReply ? 2 : 1;
    writeAt(bytes, 8, packet.nonce);
    writeAt(bytes, 16, packet.from);
    writeAt(bytes, 20, packet.to);
    std::memcpy(&bytes[24], packet.boot.data(), packet.boot.size());
    writeAt(bytes, 40, packet.received_ns);
    writeAt(bytes, 48, packet.sent_ns);
    writeAt(bytes, 56, packet.wall_ns);
    writeAt(bytes, 64, packet.uncertainty_ns);
    const std::string mac = macOf({reinterpret_cast<const char*>(bytes.data()), kMacAt}, token);
    std::memcpy(&bytes[kMacAt], mac.data(), kMac_bytes);
    return bytes;
}

std::optional<ClockPacket> packetFromBytes(std::string_view bytes, const ClockToken& token,
                                           PacketDefect& defect)
{
    defect = PacketDefect::malformed;
    if (bytes.size() != ClockPacket::kSize_bytes) return std::nullopt;
    if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
    const auto kind = readAt<uint8_t>(bytes, 5);
    if (readAt<uint8_t>(bytes, 4) != kVersion || kind < 1 || kind > 2 || readAt<uint16_t>(bytes, 6) != 0 ||
        readAt<uint32_t>(bytes, 68) != 0)
        return std::nullopt;
    ClockPacket packet;
    packet.isReply = kind == 2;
    packet.nonce = readAt<uint64_t>(bytes, 8);
    packet.from = readAt<uint32_t>(bytes, 16);
    packet.to = readAt<uint32_t>(bytes, 20);
    std::memcpy(packet.boot.data(), bytes.data() + 24, packet.boot.size());
    packet.received_ns = readAt<int64_t>(bytes, 40);
    packet.sent_ns = readAt<int64_t>(bytes, 48);
    packet.wall_ns = readAt<int64_t>(bytes, 56);
    packet.uncertainty_ns = readAt<uint32_t>(bytes, 64);
    const bool isEmpty =
        packet.received_ns == 0 && packet.sent_ns == 0 && packet.wall_ns == 0 && packet.uncertainty_ns == 0;
    if (!packet.isReply && !isEmpty) return std::nullopt;
    defect = PacketDefect::foreign;
    if (!areEqual(bytes.substr(kMacAt), macOf(bytes.substr(0, kMacAt), token))) return std::nullopt;
    defect = PacketDefect::none;
    return packet;
}

std::optional<std::array<unsigned char, 16>> sixteenBytes(std::string_view text)
{
    std::array<unsigned char, 16> bytes{};
    size_t digits = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const int digit = digitOf(c);
        if (digit < 0 || digits == 2 * bytes.size()) return std::nullopt;
        bytes[digits / 2] = static_cast<unsigned char>(bytes[digits / 2] << 4 | digit);
        ++digits;
    }
    return digits == 2 * bytes.size() ? std::optional(bytes) : std::nullopt;
}

std::string bootIdText(const BootId& boot)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < boot.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += {kDigits[boot[i] >> 4], kDigits[boot[i] & 15]};
    }
    return text;
}

bool ReplayWindow::take(uint64_t nonce)
{
    constexpr uint64_t kWidth = 64;
    if (nonce > m_greatest) {
        const uint64_t ahead = nonce - m_greatest;
        m_seen = ahead < kWidth ? m_seen << ahead | 1 : 1;
        m_greatest = nonce;
        return true;
    }
    const uint64_t age = m_greatest - nonce;
    if (age >= kWidth || (m_seen >> age & 1) != 0) return false;
    m_seen |= uint64_t(1) << age;
    return true;
}

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
    if (const char* const configured = std::getenv("LOCKSTEP_AGENT_ADDRESSES");
        configured != nullptr && *configured != '\0')
        return configuredAddresses(configured);
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
