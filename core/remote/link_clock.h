// SPDX-License-Identifier: Apache-2.0
// LinkClock: a host's clock against this machine's, again and again while a run goes on, over one connection
// of the link that the run has: for hosts that cannot reach each other. The same rounds as between hosts,
// with wider bounds: two hosts are compared through this machine, and a link takes longer than a network.
// Thread of the run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <QObject>
#include <QTimer>

#include "core/remote/line_splitter.h"
#include "core/remote/remote.h"

namespace lockstep {

class LinkClock : public QObject {
    Q_OBJECT

  public:
    static constexpr int kRounds = 5;
    static constexpr int kBurstEvery_ms = 5'000;

    // agentWord: the shell's word for lockstep-agent on the host. Begins at once.
    LinkClock(std::shared_ptr<const Remote> remote, const std::string& agentWord, QObject* parent);
    // finished() follows.
    void end();

  signals:
    // The best round of a burst, as a line for the host's event file: seq 0, kind clock_exchange, via link;
    // the host is the one that asks, this machine its peer.
    void measured(const std::string& line);
    // Once: the link is gone, or end() was called.
    void finished();

  private:
    struct Best {
        int64_t delay_ns = 0;
        std::string line;
    };

    void send();
    void take(const QByteArray& bytes);
    void takeReading(const std::string& line, int64_t received_ns);

    RemoteCall* m_call;
    QTimer m_next;
    LineSplitter m_lines;
    bool m_isAsked = false; // the host owes a reading
    int64_t m_sent_ns = 0;  // CLOCK_MONOTONIC_RAW here
    int m_rounds = 0;
    std::optional<Best> m_best;
};

// The line of one round: sent and received are CLOCK_MONOTONIC_RAW here, reading is what `lockstep-agent
// clock` printed between. Empty where that is no reading, or none that lies between.
std::optional<std::pair<int64_t, std::string>> linkRound(int64_t sent_ns, int64_t received_ns,
                                                         std::string_view reading);

} // namespace lockstep
