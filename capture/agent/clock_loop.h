// SPDX-License-Identifier: Apache-2.0
// ClockLoop implements ClockExchange: it contains what the thread does with the socket in each iteration. It
// queries its peers in bursts, one round at a time, replies to requests in between, and reads this host's
// wall clock. One thread.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <netinet/in.h>

#include "capture/agent/clock_exchange.h"
#include "capture/agent/wall_clock_sampler.h"

namespace lockstep::agent {

class ClockLoop {
  public:
    // Does not take ownership of the socket.
    ClockLoop(int fd, const BootId& boot, const ClockExchangeOptions& options);
    void tell(ClockPeers peers);
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
        ClockPeer told;
        std::vector<sockaddr_storage> addresses; // addresses of `told`, in the socket's address family
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
    void ask();
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
    std::optional<ClockPeers> m_told;
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
    std::optional<Request> m_asked;
    std::deque<uint64_t> m_unanswered;   // nonces whose replies may still arrive
    std::optional<MeasuredRound> m_best; // best round of the current burst and peer
    ClockFindings m_findings;
};

} // namespace lockstep::agent
