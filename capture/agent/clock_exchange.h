// SPDX-License-Identifier: Apache-2.0
// ClockExchange: stamps exchanged with other hosts of the run over UDP, on a thread of its own with one
// socket. Every 5 s a burst of rounds with each peer; of a burst the round of least delay is kept. A round
// has four stamps of CLOCK_MONOTONIC_RAW, which nobody sets or slews: true time passes between sending and
// receiving, so the peer's clock is ahead by at least t3 - t4 and at most t2 - t1, however unlike the two
// ways are. Beside them stands how far the wall clock is from the raw one on both sides, because reports are
// stamped with it. Made by ClockWatch; every function but the thread's own may be called from one other
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capture/agent/clock_pair.h"
#include "capture/agent/clock_peers.h"
#include "core/base/result.h"

namespace lockstep::agent {

// The peer's clock minus this one's is within [t3 - t4, t2 - t1].
struct MeasuredRound {
    uint32_t peer = 0; // number of the host
    BootId peerBoot{};
    int64_t t1_ns = 0;   // this host sends, CLOCK_MONOTONIC_RAW
    int64_t t2_ns = 0;   // the peer receives, its CLOCK_MONOTONIC_RAW
    int64_t t3_ns = 0;   // the peer sends
    int64_t t4_ns = 0;   // this host receives
    int64_t wall_ns = 0; // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW here
    uint32_t doubt_ns = 0;
    int64_t peerWall_ns = 0; // the same there
    uint32_t peerDoubt_ns = 0;

    int64_t delay_ns() const { return (t4_ns - t1_ns) - (t3_ns - t2_ns); }
    friend bool operator==(const MeasuredRound&, const MeasuredRound&) = default;
};

// Datagrams since the beginning.
struct ClockCounts {
    uint64_t answered = 0;   // requests
    uint64_t received = 0;   // replies that were asked for
    uint64_t unanswered = 0; // requests without a reply in time
    uint64_t late = 0;       // of these, replies that came after all, too late to be used
    uint64_t early = 0;      // came before this end was told the run's token: nobody could read them
    // Dropped:
    uint64_t malformed = 0;
    uint64_t foreign = 0;    // wrong MAC, or for somebody else
    uint64_t replayed = 0;   // a nonce that was used, or was never asked with
    uint64_t limited = 0;    // more than a host may ask
    uint64_t impossible = 0; // replies whose stamps cannot be: received after sent, a delay below zero

    uint64_t dropped() const { return malformed + foreign + replayed + limited + impossible; }
    friend bool operator==(const ClockCounts&, const ClockCounts&) = default;
};

// What the thread has found since it was last asked.
struct ClockFindings {
    std::vector<MeasuredRound> rounds; // one a burst and peer
    std::vector<WallReading> readings; // of the own wall clock, see WallPath
    std::vector<uint32_t> unreachable; // peers that answered nothing at all in the first bursts
    std::vector<uint32_t> reachable;   // of these, that answer now
    ClockCounts counts;
    uint64_t readingsLeftOut = 0; // of the wall clock, since the beginning
    uint64_t roundsLeftOut = 0;   // nobody asked for so long that there was no more room
};

struct ClockExchangeOptions {
    int64_t burstEvery_ns = 5'000'000'000;
    int64_t sampleEvery_ns = 100'000'000; // of the own wall clock
    int roundsPerBurst = 8;
    int64_t patience_ns = 200'000'000; // for a reply
    int burstsToReach = 2;             // without any answer: the peer cannot be reached this way
    int unreachableEvery = 6;          // bursts between further tries then
    uint32_t requestsPerSecond = 32;   // answered, of one host; twice that at once
};

class ClockExchange {
  public:
    // io: there is no UDP here. Listens on a port of the kernel's choice on all addresses; answers nobody
    // before tell().
    static Result<std::unique_ptr<ClockExchange>> open(const ClockExchangeOptions& options = {});
    ~ClockExchange();
    ClockExchange(const ClockExchange&) = delete;
    ClockExchange& operator=(const ClockExchange&) = delete;

    uint16_t port() const { return m_port; }
    const BootId& boot() const { return m_boot; }
    // Whom to ask and whom to answer from now on; again when another launcher tells anew.
    void tell(ClockPeers peers);
    ClockFindings takeFindings();
    // One more burst, for what the run did since the last; waits for it, half a second at most.
    void finish();

  private:
    ClockExchange(int fd, uint16_t port, const ClockExchangeOptions& options);
    void follow();
    void publish(ClockFindings found);

    int m_fd;
    uint16_t m_port;
    BootId m_boot{};
    ClockExchangeOptions m_options;
    std::mutex m_mutex;
    std::optional<ClockPeers> m_told; // under m_mutex, taken by the thread
    ClockFindings m_findings;         // under m_mutex
    uint64_t m_lostReadings = 0;      // under m_mutex
    std::atomic<bool> m_isEnding = false;
    std::atomic<bool> m_isLast = false; // burst asked for
    std::atomic<bool> m_isDone = false; // and over
    std::thread m_thread;
};

} // namespace lockstep::agent
