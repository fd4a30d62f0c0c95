// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_exchange.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/agent/wall_clock_sampler.h"

namespace lockstep::agent {

namespace {

// ClockLoop implements ClockExchange: it contains what the thread does with the socket in each iteration. It
// queries its peers in bursts, one round at a time, replies to requests in between, and reads this host's
// wall clock. One thread.
class ClockLoop {
  public:
    // Does not take ownership of the socket.
    ClockLoop(int fd, const BootId& boot, const ClockExchangeOptions& options);
    void setPeers(ClockPeers peers);
    // Performs the actions that are due, then waits for datagrams for at most sampleEvery_ns.
    void turn();
    // Makes a burst due immediately.
    void requestBurst();
    // Records a final reading of the wall clock.
    void end();
    // Returns true if a burst is due or in progress.
    bool isBurstPending() const;
    ClockFindings takeFindings();

  private:
    struct Peer {
        ClockPeer info;
        std::vector<sockaddr_storage> addresses; // addresses of `info`, in the socket's address family
        std::optional<size_t> address;           // index of the address that replied
        size_t nextAddress = 0;                  // next address to try while no address has replied
        int silentBursts = 0;
        bool isReportedUnreachable = false;
    };
    // The request whose reply is pending.
    struct Request {
        uint64_t nonce = 0;
        int64_t t1_ns = 0;
        size_t address = 0;
    };
    struct Allowance {
        double requests = 0;
        int64_t at_ns = 0;
        ReplayWindow nonces;
    };
    struct Arrival {
        int64_t raw_ns = 0;
        WallReading wall;
    };

    void sample(int64_t now_ns);
    void advance(int64_t now_ns);
    void beginBurst(int64_t now_ns);
    void sendRequest();
    void finishPeer();
    void nextPeer();
    void receive();
    void take(std::string_view bytes, const sockaddr_storage& from, socklen_t fromSize, int64_t kernel_ns);
    void answer(const ClockPacket& request, const Arrival& arrival, const sockaddr_storage& to,
                socklen_t size);
    void acceptReply(const ClockPacket& reply, const Arrival& arrival);
    Arrival arrivalOf(int64_t kernel_ns, int64_t user_ns);
    bool isAllowed(uint32_t host, int64_t now_ns);
    std::optional<sockaddr_storage> parsedAddress(const std::string& text, uint16_t port) const;

    const int m_fd;
    const BootId m_boot;
    const ClockExchangeOptions m_options;
    int m_family = AF_INET6;
    std::optional<ClockPeers> m_peerList;
    std::vector<Peer> m_peers;
    std::vector<Allowance> m_allowances; // keyed by host
    WallClockSampler m_path;
    WallReading m_wall; // the last reading
    int64_t m_nextSample_ns = 0;
    int64_t m_nextBurst_ns = 0;
    uint64_t m_burst = 0;
    uint64_t m_nonce = 0;
    size_t m_peer = 0; // index of the peer that is being queried; m_peers.size() = none
    int m_round = 0;
    int m_silent = 0; // number of consecutive rounds without a reply
    std::optional<Request> m_request;
    std::deque<uint64_t> m_unanswered;   // nonces whose replies may still arrive
    std::optional<MeasuredRound> m_best; // best round of the current burst and peer
    ClockFindings m_findings;
};

constexpr uint64_t kEarlyBursts = 5; // short intervals at first, because the beginning of a run also matters
constexpr size_t kMaxUnanswered = 64;
constexpr int kMaxAtOnce = 64; // datagrams read before the clock is checked again

// Number of consecutive rounds without a reply after which the rest of the burst is skipped.
constexpr int kSilentRounds = 2;
constexpr int64_t kMaxKernelTimestampAge_ns = 10'000'000;

// A wall clock that moved by more than this was set in the meantime.
constexpr int64_t kSteadyWall_ns = 20'000;
constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kMillisecond_ns = 1'000'000;

ClockLoop::ClockLoop(int fd, const BootId& boot, const ClockExchangeOptions& options)
    : m_fd(fd), m_boot(boot), m_options(options)
{
    sockaddr_storage bound = {};
    socklen_t size = sizeof bound;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0) m_family = bound.ss_family;
    m_wall = readWall();
    // The first nonce must be greater than all earlier nonces of this host, unless it was rebooted.
    m_nonce = static_cast<uint64_t>(std::max<int64_t>(1, rawClock_ns()));
}

void ClockLoop::setPeers(ClockPeers peers)
{
    m_peers.clear();
    for (const ClockPeer& info : peers.peers) {
        Peer peer{info, {}, std::nullopt, 0, 0, false};
        for (const std::string& address : info.addresses) {
            if (const auto parsed = parsedAddress(address, info.port)) peer.addresses.push_back(*parsed);
        }
        m_peers.push_back(std::move(peer));
    }
    m_allowances.assign(peers.hosts, {});
    m_peerList = std::move(peers);
    m_request.reset();
    m_best.reset();
    m_burst = 0;
    m_peer = m_peers.size();
    m_nextBurst_ns = rawClock_ns();
}

std::optional<sockaddr_storage> ClockLoop::parsedAddress(const std::string& text, uint16_t port) const
{
    sockaddr_storage out = {};
    out.ss_family = static_cast<sa_family_t>(m_family);
    if (m_family == AF_INET) {
        auto* four = reinterpret_cast<sockaddr_in*>(&out);
        four->sin_port = htons(port);
        return ::inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1 ? std::optional(out) : std::nullopt;
    }
    auto* six = reinterpret_cast<sockaddr_in6*>(&out);
    six->sin6_port = htons(port);
    const std::string mapped = text.find(':') == std::string::npos ? "::ffff:" + text : text;
    return ::inet_pton(AF_INET6, mapped.c_str(), &six->sin6_addr) == 1 ? std::optional(out) : std::nullopt;
}

void ClockLoop::requestBurst()
{
    m_nextBurst_ns = rawClock_ns();
}

void ClockLoop::end()
{
    sample(rawClock_ns());
    m_path.keepLast();
}

bool ClockLoop::isBurstPending() const
{
    return m_peerList && !m_peers.empty() && (m_peer < m_peers.size() || m_nextBurst_ns <= rawClock_ns());
}

void ClockLoop::turn()
{
    const int64_t now_ns = rawClock_ns();
    if (now_ns >= m_nextSample_ns) sample(now_ns);
    if (m_peerList) advance(now_ns);
    int64_t until_ns = m_nextSample_ns;
    if (m_request) until_ns = std::min(until_ns, m_request->t1_ns + m_options.replyTimeout_ns);
    if (m_peerList && !m_request) until_ns = std::min(until_ns, m_nextBurst_ns);
    const int64_t wait_ns = std::clamp<int64_t>(until_ns - rawClock_ns(), 0, m_options.sampleEvery_ns);
    pollfd socket{m_fd, POLLIN, 0};
    const timespec wait{static_cast<time_t>(wait_ns / kSecond_ns), static_cast<long>(wait_ns % kSecond_ns)};
    if (::ppoll(&socket, 1, &wait, nullptr) > 0) receive();
}

ClockFindings ClockLoop::takeFindings()
{
    ClockFindings out = std::exchange(m_findings, {});
    out.readings = m_path.takeKept();
    out.readingsOmitted = m_path.excluded();
    m_findings.counts = out.counts;
    return out;
}

void ClockLoop::sample(int64_t now_ns)
{
    m_wall = readWall();
    m_path.take(m_wall);
    m_nextSample_ns = now_ns + m_options.sampleEvery_ns;
}

void ClockLoop::advance(int64_t now_ns)
{
    if (m_request) {
        if (now_ns < m_request->t1_ns + m_options.replyTimeout_ns) return;
        m_unanswered.push_back(m_request->nonce);
        if (m_unanswered.size() > kMaxUnanswered) m_unanswered.pop_front();
        m_request.reset();
        ++m_findings.counts.unanswered;
        ++m_silent;
        Peer& peer = m_peers[m_peer];
        if (!peer.address) ++peer.nextAddress;
    }
    if (m_peer == m_peers.size()) {
        if (now_ns >= m_nextBurst_ns) beginBurst(now_ns);
        return;
    }
    const Peer& peer = m_peers[m_peer];
    const int tries = static_cast<int>(peer.addresses.size());
    const int rounds = peer.address ? m_options.roundsPerBurst : std::max(tries, kSilentRounds);
    const bool isSilent = peer.address && m_silent >= kSilentRounds;
    if (m_round >= rounds || isSilent || tries == 0) return finishPeer();
    sendRequest();
}

void ClockLoop::beginBurst(int64_t now_ns)
{
    ++m_burst;
    // Jitter, so that a thousand hosts that start at the same time do not keep sending at the same time.
    const int64_t jitter_ns = static_cast<int64_t>(m_nonce * 0x9E3779B97F4A7C15u >> 40) %
                              std::max<int64_t>(1, m_options.burstEvery_ns / 10);
    const int64_t every_ns =
        m_burst <= kEarlyBursts ? m_options.burstEvery_ns / int64_t(kEarlyBursts) : m_options.burstEvery_ns;
    m_nextBurst_ns = now_ns + every_ns - jitter_ns;
    m_peer = ~size_t(0);
    nextPeer();
}

// Moves to the next peer that is due in this burst.
void ClockLoop::nextPeer()
{
    m_best.reset();
    m_round = m_silent = 0;
    for (++m_peer; m_peer < m_peers.size(); ++m_peer) {
        const auto every = static_cast<uint64_t>(std::max(1, m_options.unreachableEvery));
        if (!m_peers[m_peer].isReportedUnreachable || m_burst % every == 0) return;
    }
}

void ClockLoop::finishPeer()
{
    Peer& peer = m_peers[m_peer];
    if (m_best) {
        m_findings.rounds.push_back(*m_best);
        peer.silentBursts = 0;
        if (std::exchange(peer.isReportedUnreachable, false))
            m_findings.reachable.push_back(peer.info.number);
    } else {
        peer.address.reset();
        if (++peer.silentBursts >= m_options.burstsToReach &&
            !std::exchange(peer.isReportedUnreachable, true))
            m_findings.unreachable.push_back(peer.info.number);
    }
    nextPeer();
}

void ClockLoop::sendRequest()
{
    const Peer& peer = m_peers[m_peer];
    const size_t address = peer.address.value_or(peer.nextAddress % peer.addresses.size());
    ClockPacket request;
    request.nonce = ++m_nonce;
    request.from = m_peerList->self;
    request.to = peer.info.number;
    request.boot = m_boot;
    const ClockPacket::Bytes bytes = bytesOfPacket(request, m_peerList->token);
    const sockaddr_storage& to = peer.addresses[address];
    const socklen_t size = m_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    ++m_round;
    m_request = Request{request.nonce, rawClock_ns(), address};
    if (::sendto(m_fd, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), size) < 0) {
    } // no route to the host: treated like a lost request
}

void ClockLoop::receive()
{
    for (int datagrams = 0; datagrams < kMaxAtOnce; ++datagrams) {
        std::array<char, ClockPacket::kSize_bytes + 1> bytes; // one more byte, to detect longer datagrams
        alignas(cmsghdr) std::array<char, 128> control;
        sockaddr_storage from = {};
        iovec part{bytes.data(), bytes.size()};
        msghdr message = {};
        message.msg_name = &from;
        message.msg_namelen = sizeof from;
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t got = ::recvmsg(m_fd, &message, MSG_DONTWAIT);
        if (got < 0) return;
        int64_t kernel_ns = 0;
        for (const cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr;
             at = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(at))) {
            if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_TIMESTAMPNS) continue;
            timespec stamp = {};
            std::memcpy(&stamp, CMSG_DATA(at), sizeof stamp);
            kernel_ns = int64_t(stamp.tv_sec) * kSecond_ns + stamp.tv_nsec;
        }
        take({bytes.data(), static_cast<size_t>(got)}, from, message.msg_namelen, kernel_ns);
    }
}

// Returns the arrival time. The Linux kernel stamps with the wall clock. After conversion to the raw clock,
// its timestamp is late by the conversion error at most, so it is as valid a bound as a timestamp taken by
// this thread. If the wall clock was set in the meantime, this thread's timestamp is used.
ClockLoop::Arrival ClockLoop::arrivalOf(int64_t kernel_ns, int64_t user_ns)
{
    const WallReading before = std::exchange(m_wall, readWall());
    Arrival out{user_ns, m_wall};
    const int64_t raw_ns = kernel_ns - m_wall.wall_ns + m_wall.uncertainty_ns;
    const bool isSteady = std::abs(m_wall.wall_ns - before.wall_ns) < kSteadyWall_ns;
    if (kernel_ns != 0 && isSteady && raw_ns < user_ns && user_ns - raw_ns < kMaxKernelTimestampAge_ns)
        out.raw_ns = raw_ns;
    return out;
}

void ClockLoop::take(std::string_view bytes, const sockaddr_storage& from, socklen_t fromSize,
                     int64_t kernel_ns)
{
    const Arrival arrival = arrivalOf(kernel_ns, rawClock_ns());
    if (!m_peerList) {
        ++m_findings.counts.early;
        return;
    }
    PacketDefect defect = PacketDefect::none;
    const auto packet = packetFromBytes(bytes, m_peerList->token, defect);
    if (defect == PacketDefect::malformed) {
        ++m_findings.counts.malformed;
    } else if (!packet || packet->to != m_peerList->self || packet->from >= m_peerList->hosts ||
               packet->from == m_peerList->self) {
        ++m_findings.counts.foreign;
    } else if (packet->isReply) {
        acceptReply(*packet, arrival);
    } else {
        answer(*packet, arrival, from, fromSize);
    }
}

bool ClockLoop::isAllowed(uint32_t host, int64_t now_ns)
{
    Allowance& allowance = m_allowances[host];
    const double most = 2.0 * m_options.requestsPerSecond;
    const double since_s = static_cast<double>(now_ns - allowance.at_ns) / static_cast<double>(kSecond_ns);
    allowance.requests = std::min(most, allowance.requests + since_s * m_options.requestsPerSecond);
    allowance.at_ns = now_ns;
    if (allowance.requests < 1) return false;
    allowance.requests -= 1;
    return true;
}

void ClockLoop::answer(const ClockPacket& request, const Arrival& arrival, const sockaddr_storage& to,
                       socklen_t size)
{
    if (!m_allowances[request.from].nonces.take(request.nonce)) {
        ++m_findings.counts.replayed;
        return;
    }
    if (!isAllowed(request.from, arrival.raw_ns)) {
        ++m_findings.counts.limited;
        return;
    }
    ClockPacket reply;
    reply.isReply = true;
    reply.nonce = request.nonce;
    reply.from = m_peerList->self;
    reply.to = request.from;
    reply.boot = m_boot;
    reply.received_ns = arrival.raw_ns;
    reply.wall_ns = arrival.wall.wall_ns;
    reply.uncertainty_ns = arrival.wall.uncertainty_ns;
    reply.sent_ns = rawClock_ns();
    const ClockPacket::Bytes bytes = bytesOfPacket(reply, m_peerList->token);
    if (::sendto(m_fd, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), size) >= 0)
        ++m_findings.counts.answered;
}

void ClockLoop::acceptReply(const ClockPacket& reply, const Arrival& arrival)
{
    const bool isExpected = m_request && reply.nonce == m_request->nonce && m_peer < m_peers.size() &&
                            reply.from == m_peers[m_peer].info.number;
    if (!isExpected) {
        ++(std::erase(m_unanswered, reply.nonce) > 0 ? m_findings.counts.late : m_findings.counts.replayed);
        return;
    }
    const MeasuredRound round{
        reply.from,    reply.boot,          m_request->t1_ns,     reply.received_ns,
        reply.sent_ns, arrival.raw_ns,      arrival.wall.wall_ns, arrival.wall.uncertainty_ns,
        reply.wall_ns, reply.uncertainty_ns};
    Peer& peer = m_peers[m_peer];
    peer.address = m_request->address;
    m_request.reset();
    m_silent = 0;
    if (round.t3_ns < round.t2_ns || round.t4_ns < round.t1_ns || round.delay_ns() < 0) {
        ++m_findings.counts.impossible;
        return;
    }
    ++m_findings.counts.received;
    if (!m_best || round.delay_ns() < m_best->delay_ns()) m_best = round;
}

// Maximum number of rounds, and of readings, that have not been collected yet.
constexpr size_t kMaxWaiting = 4096;

BootId ownBoot()
{
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return sixteenBytes(text).value_or(BootId{});
}

// Opens one socket for both address families if the system supports IPv6.
int openSocket()
{
    const int both = ::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (both >= 0) {
        const int no = 0;
        sockaddr_in6 any = {};
        any.sin6_family = AF_INET6;
        if (::setsockopt(both, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 &&
            ::bind(both, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0)
            return both;
        ::close(both);
    }
    const int four = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    if (four < 0 || ::bind(four, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0) return four;
    ::close(four);
    return -1;
}

// Starts a thread that blocks all signals, so that the main thread handles them.
std::thread startSignalFreeThread(auto function)
{
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(function));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

template<class T>
uint64_t addSome(std::vector<T>& to, const std::vector<T>& from)
{
    const size_t fitting = std::min(from.size(), kMaxWaiting - std::min(kMaxWaiting, to.size()));
    to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(fitting));
    return from.size() - fitting;
}

} // namespace

Result<std::unique_ptr<ClockExchange>> ClockExchange::open(const ClockExchangeOptions& options)
{
    const int fd = openSocket();
    if (fd < 0)
        return makeError(ErrorKind::io,
                         "cannot open a port for the clock exchange: " + std::string(std::strerror(errno)));
    sockaddr_storage bound = {};
    socklen_t size = sizeof bound;
    uint16_t port = 0;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
        port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                                 : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
    }
    // Uses the arrival timestamp of the Linux kernel if available, because waking up the thread takes longer
    // than the transmission.
    const int yes = 1;
    if (::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) != 0) {
    } // fall back to the thread's stamp
    return std::unique_ptr<ClockExchange>(new ClockExchange(fd, port, options));
}

ClockExchange::ClockExchange(int fd, uint16_t port, const ClockExchangeOptions& options)
    : m_fd(fd), m_port(port), m_boot(ownBoot()), m_options(options)
{
    m_thread = startSignalFreeThread([this] { follow(); });
}

ClockExchange::~ClockExchange()
{
    m_isEnding = true;
    m_thread.join();
    ::close(m_fd);
}

void ClockExchange::follow()
{
    ClockLoop loop(m_fd, m_boot, m_options);
    bool isLast = false;
    while (!m_isEnding) {
        std::optional<ClockPeers> info;
        {
            const std::scoped_lock lock(m_mutex);
            info = std::exchange(m_peerList, std::nullopt);
        }
        if (info) loop.setPeers(std::move(*info));
        if (m_isLast.exchange(false)) {
            loop.end(); // even if no peer replies any more
            loop.requestBurst();
            isLast = true;
        }
        loop.turn();
        const bool isDone = isLast && !loop.isBurstPending();
        if (isDone) loop.end();
        publish(loop.takeFindings());
        m_isDone = isDone;
    }
}

void ClockExchange::publish(ClockFindings found)
{
    const std::scoped_lock lock(m_mutex);
    m_findings.roundsOmitted += addSome(m_findings.rounds, found.rounds);
    m_lostReadings += addSome(m_findings.readings, found.readings);
    addSome(m_findings.unreachable, found.unreachable);
    addSome(m_findings.reachable, found.reachable);
    m_findings.counts = found.counts;
    m_findings.readingsOmitted = found.readingsOmitted + m_lostReadings;
}

void ClockExchange::finish()
{
    constexpr std::chrono::milliseconds kPatience{500}, kLook{5};
    const auto giveUp = std::chrono::steady_clock::now() + kPatience;
    m_isLast = true;
    while (!m_isDone && std::chrono::steady_clock::now() < giveUp)
        std::this_thread::sleep_for(kLook);
}

void ClockExchange::setPeers(ClockPeers peers)
{
    const std::scoped_lock lock(m_mutex);
    m_peerList = std::move(peers);
}

ClockFindings ClockExchange::takeFindings()
{
    const std::scoped_lock lock(m_mutex);
    ClockFindings out = std::exchange(m_findings, {});
    m_findings.counts = out.counts;
    m_findings.readingsOmitted = out.readingsOmitted;
    m_findings.roundsOmitted = out.roundsOmitted;
    return out;
}

} // namespace lockstep::agent
