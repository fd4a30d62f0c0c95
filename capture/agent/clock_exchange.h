// SPDX-License-Identifier: Apache-2.0
// ClockExchange exchanges timestamps with other hosts of the run over UDP, on its own thread with one socket.
// Every 5 s it sends a burst of rounds to each peer and keeps the round with the least delay. A round has
// four timestamps of CLOCK_MONOTONIC_RAW, a clock that is never set or slewed. Sending always precedes
// receiving, so the peer's clock is ahead by at least t3 - t4 and at most t2 - t1, even if the delays in the
// two directions differ. Each round also has the difference between wall clock and raw clock on both sides,
// because reports use the wall clock. Created by ClockWatch; one other thread may call the functions.
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

// The peer's clock minus this host's clock is within [t3 - t4, t2 - t1].
struct MeasuredRound {
    uint32_t peer = 0; // ID of the host
    BootId peerBoot{};
    int64_t t1_ns = 0;   // this host sends, CLOCK_MONOTONIC_RAW
    int64_t t2_ns = 0;   // the peer receives, its CLOCK_MONOTONIC_RAW
    int64_t t3_ns = 0;   // the peer sends
    int64_t t4_ns = 0;   // this host receives
    int64_t wall_ns = 0; // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW here
    uint32_t uncertainty_ns = 0;
    int64_t peerWall_ns = 0; // the same difference on the peer
    uint32_t peerUncertainty_ns = 0;

    int64_t delay_ns() const { return (t4_ns - t1_ns) - (t3_ns - t2_ns); }
    friend bool operator==(const MeasuredRound&, const MeasuredRound&) = default;
};

// Datagram counts since the start.
struct ClockCounts {
    uint64_t answered = 0;   // requests that got a reply
    uint64_t received = 0;   // replies to own requests
    uint64_t unanswered = 0; // requests without a reply in time
    uint64_t late = 0;       // late replies, not used
    uint64_t early = 0; // arrived before this host received the run's token, so they could not be verified
    // Dropped:
    uint64_t malformed = 0;
    uint64_t foreign = 0;    // wrong MAC, or for another host
    uint64_t replayed = 0;   // nonce already used, or never sent
    uint64_t limited = 0;    // beyond the limit on requests per host
    uint64_t impossible = 0; // replies with impossible timestamps: received after sent, or a negative delay

    uint64_t dropped() const { return malformed + foreign + replayed + limited + impossible; }
    friend bool operator==(const ClockCounts&, const ClockCounts&) = default;
};

// Findings of the thread since the last call to takeFindings().
struct ClockFindings {
    std::vector<MeasuredRound> rounds; // one per burst and peer
    std::vector<WallReading> readings; // of this host's wall clock; see WallClockSampler
    std::vector<uint32_t> unreachable; // peers that did not respond in the first bursts
    std::vector<uint32_t> reachable;   // formerly unreachable peers that respond now
    ClockCounts counts;
    uint64_t readingsOmitted = 0; // readings of the wall clock that were left out, since the start
    uint64_t roundsOmitted = 0;   // dropped because takeFindings() was not called for too long
};

struct ClockExchangeOptions {
    int64_t burstEvery_ns = 5'000'000'000;
    int64_t sampleEvery_ns = 100'000'000; // interval between readings of this host's wall clock
    int roundsPerBurst = 8;
    int64_t replyTimeout_ns = 200'000'000; // timeout for a reply
    int burstsToReach = 2;                 // bursts without a response until the peer counts as unreachable
    int unreachableEvery = 6;              // after that, one attempt per this many bursts
    // Limit on requests per host that get a reply; a burst may contain twice as many.
    uint32_t requestsPerSecond = 32;
};

class ClockExchange {
  public:
    // Listens on all addresses, on a port chosen by the operating system. Sends no replies before setPeers()
    // is called. Returns io if UDP is not available.
    static Result<std::unique_ptr<ClockExchange>> open(const ClockExchangeOptions& options = {});
    ~ClockExchange();
    ClockExchange(const ClockExchange&) = delete;
    ClockExchange& operator=(const ClockExchange&) = delete;

    uint16_t port() const { return m_port; }
    const BootId& boot() const { return m_boot; }
    // Sets the peers to query and to reply to from now on. Called again when another launcher connects.
    void setPeers(ClockPeers peers);
    ClockFindings takeFindings();
    // Runs one final burst, which covers the time since the previous burst. Blocks for at most half a second.
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
    std::optional<ClockPeers> m_peerList; // guarded by m_mutex; consumed by the thread
    ClockFindings m_findings;             // guarded by m_mutex
    uint64_t m_lostReadings = 0;          // guarded by m_mutex
    std::atomic<bool> m_isEnding = false;
    std::atomic<bool> m_isLast = false; // a final burst was requested
    std::atomic<bool> m_isDone = false; // the final burst is over
    std::thread m_thread;
};

} // namespace lockstep::agent
