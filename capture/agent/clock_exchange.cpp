// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_exchange.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/agent/clock_loop.h"

namespace lockstep::agent {

namespace {

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
std::thread quietThread(auto function)
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
    m_thread = quietThread([this] { follow(); });
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
        std::optional<ClockPeers> told;
        {
            const std::scoped_lock lock(m_mutex);
            told = std::exchange(m_told, std::nullopt);
        }
        if (told) loop.tell(std::move(*told));
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

void ClockExchange::tell(ClockPeers peers)
{
    const std::scoped_lock lock(m_mutex);
    m_told = std::move(peers);
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
