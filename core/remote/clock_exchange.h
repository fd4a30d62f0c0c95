// SPDX-License-Identifier: Apache-2.0
// ClockExchange measures the offset between a host's wall clock and this machine's wall clock. It makes
// several round trips over one connection and uses the fastest. The host reads its clock between sending and
// receiving, so half the round trip bounds the error, even on asymmetric routes.
#pragma once

#include <memory>
#include <string>

#include <QObject>

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

    // Starts immediately. quotedAgentPath is the agent's path on the host, quoted for the shell. patience_s
    // is the idle time after which the exchange ends with the readings so far.
    ClockExchange(std::shared_ptr<const Remote> remote, const std::string& quotedAgentPath, int patience_s,
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

} // namespace lockstep
