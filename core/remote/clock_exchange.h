// SPDX-License-Identifier: Apache-2.0
// ClockExchange: how far a host's wall clock is from this machine's. One connection, several readings there
// and back; the quickest counts: the host's clock was read between sending and receiving, so half the round
// trip bounds the error (asymmetric routes included).
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
    int64_t error_ns = 0;  // half the quickest round trip
};

class ClockExchange : public QObject {
    Q_OBJECT

  public:
    static constexpr int kReadings = 5;

    // agentWord: the shell's word for lockstep-agent on the host. Begins at once.
    // patience_s: silence after which the exchange ends with what it has.
    ClockExchange(std::shared_ptr<const Remote> remote, const std::string& agentWord, int patience_s,
                  QObject* parent);

  signals:
    void waits(const std::string& text);
    // Once; not known when the link failed.
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

// Unix-epoch ns now, this machine.
int64_t epochNow_ns();

} // namespace lockstep
