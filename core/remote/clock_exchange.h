// SPDX-License-Identifier: Apache-2.0
// ClockExchange measures the offset between a host's wall clock and this machine's wall clock. It makes
// several round trips over one connection and uses the fastest. The host reads its clock between sending and
// receiving, so half the round trip bounds the error, even on asymmetric routes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <QObject>
#include <QTimer>

#include "core/remote/line_splitter.h"
#include "core/remote/remote.h"

namespace lockstep {

struct ClockOffset {
    bool isKnown = false;
    int64_t offset_ns = 0; // host minus this machine
    int64_t error_ns = 0;  // half the fastest round trip
};

class ClockExchange : public QObject {
    Q_OBJECT

  public:
    static constexpr int kReadings = 5;

    // Starts immediately. quotedAgentPath is the agent's path on the host, quoted for the shell.
    // idleTimeout_s is the idle time after which the exchange ends with the readings so far.
    ClockExchange(std::shared_ptr<const Remote> remote, const std::string& quotedAgentPath, int idleTimeout_s,
                  QObject* parent);

  signals:
    void waits(const std::string& text);
    // Emitted once. The offset is unknown if the link failed.
    void finished(const lockstep::ClockOffset& offset);

  private:
    void send();
    void take(const QByteArray& bytes);

    RemoteCall* m_call;
    LineSplitter m_lines;
    int64_t m_sent_ns = 0;
    int m_readings = 0;
    ClockOffset m_best;
};

// Returns the current time of this machine in Unix-epoch ns.
int64_t epochNow_ns();

// LinkClock repeatedly compares a host's clock with this machine's clock during a run, over one connection of
// the run's link. It is used for hosts that cannot reach each other. The rounds are the same as between
// hosts, but their bounds are wider, because two hosts are compared through this machine, and because a link
// is slower than a network. Runs on the run's thread.
class LinkClock : public QObject {
    Q_OBJECT

  public:
    static constexpr int kRounds = 5;
    static constexpr int kBurstEvery_ms = 5'000;

    // Starts immediately. quotedAgentPath is the agent's path on the host, quoted for the shell.
    LinkClock(std::shared_ptr<const Remote> remote, const std::string& quotedAgentPath, QObject* parent);
    // Ends the measurement. finished() follows.
    void end();

  signals:
    // The best round of a burst, as a line for the host's event file (seq 0, kind clock_exchange, via link).
    // In that line, the host is the sender of the request, and this machine is its peer.
    void measured(const std::string& line);
    // Emitted once, when the link was lost or end() was called.
    void finished();

  private:
    struct Best {
        int64_t delay_ns = 0;
        std::string line;
    };

    void send();
    void take(const QByteArray& bytes);
    void handleReading(const std::string& line, int64_t received_ns);

    RemoteCall* m_call;
    QTimer m_next;
    LineSplitter m_lines;
    bool m_isReadingPending = false; // a reading was requested and has not arrived
    int64_t m_sent_ns = 0;           // CLOCK_MONOTONIC_RAW of this machine
    int m_rounds = 0;
    std::optional<Best> m_best;
};

// Returns the delay in ns and the line of one round. sent_ns and received_ns are CLOCK_MONOTONIC_RAW of this
// machine. reading is the output of `lockstep-agent clock`, which ran between these two times. Returns
// nullopt if the reading is invalid, or if received_ns is before sent_ns.
std::optional<std::pair<int64_t, std::string>> linkRound(int64_t sent_ns, int64_t received_ns,
                                                         std::string_view reading);

} // namespace lockstep
