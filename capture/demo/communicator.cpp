// SPDX-License-Identifier: Apache-2.0
#include "capture/demo/communicator.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace lockstep::demo {

namespace {

constexpr auto kConnectTimeout = std::chrono::seconds(20);
constexpr uint64_t kMaxValues = 1u << 22;

// Header before the values of each rank and before each reply.
struct Head {
    uint32_t rank = 0;
    Operation operation = Operation::allReduce;
    uint64_t sequence = 0;
    uint64_t values = 0;
    uint32_t isGone = 0; // in a reply: that rank has exited
    uint32_t reserved = 0;
};

bool writeAll(int link, const void* bytes, size_t size)
{
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t sent = ::send(link, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

bool readAll(int link, void* bytes, size_t size)
{
    char* at = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t got = ::recv(link, at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

bool send(int link, const Head& head, std::span<const float> values)
{
    return writeAll(link, &head, sizeof head) && writeAll(link, values.data(), values.size_bytes());
}

bool receive(int link, Head& head, std::vector<float>& values)
{
    if (!readAll(link, &head, sizeof head) || head.values > kMaxValues) return false;
    values.resize(head.values);
    return readAll(link, values.data(), values.size() * sizeof(float));
}

// The address length marks the end of the name, whose first byte is zero.
std::pair<sockaddr_un, socklen_t> addressOf(const std::string& name)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const size_t size = std::min(name.size(), sizeof address.sun_path - 1);
    std::memcpy(address.sun_path + 1, name.data(), size);
    return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size)};
}

bool isOwnUser(int link)
{
    ucred peer = {};
    socklen_t size = sizeof peer;
    return ::getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::getuid();
}

std::string failure(const char* what)
{
    return std::string(what) + ": " + std::strerror(errno);
}

} // namespace

const char* nameOf(Operation operation)
{
    switch (operation) {
    case Operation::allReduce:
        return "AllReduce";
    case Operation::allGather:
        return "AllGather";
    case Operation::broadcast:
        break;
    }
    return "Broadcast";
}

Hub::Hub(const std::string& name, uint32_t ranks) : m_ranks(ranks), m_links(ranks, -1)
{
    const auto [address, size] = addressOf(name);
    m_listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (m_listener < 0) {
        m_problem = failure("cannot create a socket");
    } else if (::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
               ::listen(m_listener, static_cast<int>(ranks)) != 0) {
        m_problem = failure("cannot listen on a socket");
    } else {
        m_thread = std::thread([this] { serve(); });
    }
}

Hub::~Hub()
{
    if (m_thread.joinable()) m_thread.join();
    for (const int link : m_links) {
        if (link >= 0) ::close(link);
    }
    if (m_listener >= 0) ::close(m_listener);
}

void Hub::serve()
{
    while (acceptRanks() && replyOnce()) {
    }
    for (int& link : m_links) {
        if (link >= 0) ::close(link);
        link = -1;
    }
}

// Each rank identifies itself once. A rank that does not connect in time counts as exited.
bool Hub::acceptRanks()
{
    const auto until = std::chrono::steady_clock::now() + kConnectTimeout;
    for (auto missing = std::ranges::find(m_links, -1); missing != m_links.end();
         missing = std::ranges::find(m_links, -1)) {
        pollfd waiting{m_listener, POLLIN, 0};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
            notifyExit(static_cast<uint32_t>(missing - m_links.begin()));
            return false;
        }
        const int link = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (link < 0) continue;
        uint32_t rank = 0;
        if (!isOwnUser(link) || !readAll(link, &rank, sizeof rank) || rank >= m_ranks || m_links[rank] >= 0) {
            ::close(link);
            continue;
        }
        m_links[rank] = link;
    }
    return true;
}

bool Hub::replyOnce()
{
    std::vector<std::vector<float>> received(m_ranks);
    std::vector<Head> heads(m_ranks);
    for (uint32_t rank = 0; rank < m_ranks; ++rank) {
        if (!receive(m_links[rank], heads[rank], received[rank])) {
            notifyExit(rank);
            return false;
        }
    }
    Head head = heads[0];
    std::vector<float> all = received[0];
    for (uint32_t rank = 1; rank < m_ranks && head.operation != Operation::broadcast; ++rank) {
        if (head.operation == Operation::allGather) {
            all.insert(all.end(), received[rank].begin(), received[rank].end());
        } else {
            for (size_t i = 0; i < std::min(all.size(), received[rank].size()); ++i)
                all[i] += received[rank][i];
        }
    }
    head.values = all.size();
    for (uint32_t rank = 0; rank < m_ranks; ++rank) {
        if (!send(m_links[rank], head, all)) {
            notifyExit(rank);
            return false;
        }
    }
    // All ranks have sent all data. Releases the ranks as close together as possible, and not always in the
    // same order.
    for (uint32_t i = 0; i < m_ranks; ++i) {
        const uint32_t rank = static_cast<uint32_t>((head.sequence + i) % m_ranks);
        if (!writeAll(m_links[rank], "g", 1)) {
            notifyExit(rank);
            return false;
        }
    }
    return true;
}

void Hub::notifyExit(uint32_t rank)
{
    Head head;
    head.rank = rank;
    head.isGone = 1;
    for (uint32_t other = 0; other < m_ranks; ++other) {
        if (other != rank && m_links[other] >= 0) send(m_links[other], head, {});
    }
}

Communicator::Communicator(const std::string& name, uint32_t rank) : m_rank(rank)
{
    const auto [address, size] = addressOf(name);
    const auto until = std::chrono::steady_clock::now() + kConnectTimeout;
    while (m_link < 0 && std::chrono::steady_clock::now() < until) {
        const int link = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (link < 0) break;
        if (::connect(link, reinterpret_cast<const sockaddr*>(&address), size) == 0 && isOwnUser(link)) {
            m_link = link;
        } else {
            ::close(link);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    if (m_link < 0 || !writeAll(m_link, &m_rank, sizeof m_rank)) m_problem = failure("cannot reach rank 0");
}

Communicator::~Communicator()
{
    if (m_link >= 0) ::close(m_link);
}

bool Communicator::execute(Operation operation, std::vector<float>& values)
{
    if (!m_problem.empty()) return false;
    Head head{m_rank, operation, m_sequence++, values.size(), 0, 0};
    Head answer;
    // Errors are ignored, because if another rank has exited, this rank may be unable to send but can still
    // receive the notice.
    send(m_link, head, values);
    char go = 0;
    if (!receive(m_link, answer, values)) {
        m_problem = "rank 0 has exited";
    } else if (answer.isGone != 0) {
        m_problem = "rank " + std::to_string(answer.rank) + " has exited";
    } else if (!readAll(m_link, &go, 1)) {
        m_problem = "rank 0 has exited";
    } else if (answer.sequence != head.sequence || answer.operation != operation) {
        m_problem = "the ranks called different operations";
    }
    if (!m_problem.empty())
        m_problem += " in " + std::string(nameOf(operation)) + " " + std::to_string(head.sequence);
    return m_problem.empty();
}

} // namespace lockstep::demo
