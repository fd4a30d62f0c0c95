// SPDX-License-Identifier: Apache-2.0
// ClockLoop: the inside of ClockExchange: what its thread does turn by turn with the socket. It asks its
// peers in bursts, one round at a time, answers requests meanwhile, and reads its own wall clock. One thread.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <netinet/in.h>

#include "capture/agent/clock_exchange.h"
#include "capture/agent/wall_path.h"

namespace lockstep::agent {

class ClockLoop {
  public:
    // The socket stays its owner's.
    ClockLoop(int fd, const BootId& boot, const ClockExchangeOptions& options);
    void tell(ClockPeers peers);
    // Does what is due and waits for what comes, at most sampleEvery_ns.
    void turn();
    // A burst is due now.
    void hurry();
    // The wall clock as it is now is the last that is told of it.
    void end();
    // A burst is due, or goes on.
    bool isAsking() const;
    ClockFindings takeFindings();

  private:
    struct Peer {
        ClockPeer told;
        std::vector<sockaddr_storage> addresses; // of told, in the socket's family
        std::optional<size_t> address;           // that answered
        size_t nextAddress = 0;                  // to try while none did
        int silentBursts = 0;
        bool isSaidUnreachable = false;
    };
    // What waits for its reply.
    struct Asked {
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
    void endOfPeer();
    void nextPeer();
    void receive();
    void take(std::string_view bytes, const sockaddr_storage& from, socklen_t fromSize, int64_t kernel_ns);
    void answer(const ClockPacket& request, const Arrival& arrival, const sockaddr_storage& to,
                socklen_t size);
    void takeReply(const ClockPacket& reply, const Arrival& arrival);
    Arrival arrivalOf(int64_t kernel_ns, int64_t user_ns);
    bool isAllowed(uint32_t host, int64_t now_ns);
    std::optional<sockaddr_storage> parsedAddress(const std::string& text, uint16_t port) const;

    const int m_fd;
    const BootId m_boot;
    const ClockExchangeOptions m_options;
    int m_family = AF_INET6;
    std::optional<ClockPeers> m_told;
    std::vector<Peer> m_peers;
    std::vector<Allowance> m_allowances; // by host
    WallPath m_path;
    WallReading m_wall; // the last reading
    int64_t m_nextSample_ns = 0;
    int64_t m_nextBurst_ns = 0;
    uint64_t m_burst = 0;
    uint64_t m_nonce = 0;
    size_t m_peer = 0; // asked now; m_peers.size(): none
    int m_round = 0;
    int m_silent = 0; // rounds without a reply, in a row
    std::optional<Asked> m_asked;
    std::deque<uint64_t> m_unanswered;   // nonces whose replies may still come
    std::optional<MeasuredRound> m_best; // of this burst and peer
    ClockFindings m_findings;
};

} // namespace lockstep::agent
