// SPDX-License-Identifier: Apache-2.0
#include "core/remote/clock_exchange.h"

#include <chrono>

#include "core/base/peer_json.h"

namespace lockstep {

namespace {

constexpr size_t kLongestReading_bytes = 4 << 10;
constexpr qint64 kMaxReadings_bytes = 64 << 10;

} // namespace

int64_t epochNow_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

ClockExchange::ClockExchange(std::shared_ptr<const Remote> remote, const std::string& quotedAgentPath,
                             int patience_s, QObject* parent)
    : QObject(parent), m_call(remote->streamCall("exec " + quotedAgentPath + " clock --follow", this,
                                                 {"clock", patience_s, 2 * patience_s, kMaxReadings_bytes})),
      m_lines(kLongestReading_bytes)
{
    connect(m_call, &RemoteCall::waits, this, &ClockExchange::waits);
    connect(m_call, &RemoteCall::outputArrived, this, &ClockExchange::take);
    connect(m_call, &RemoteCall::finished, this, [this] { emit finished(m_best); });
}

void ClockExchange::send()
{
    if (m_readings == kReadings) return m_call->closeInput();
    m_sent_ns = epochNow_ns();
    m_call->write("\n");
}

void ClockExchange::take(const QByteArray& bytes)
{
    const int64_t received_ns = epochNow_ns();
    m_lines.add({bytes.data(), static_cast<size_t>(bytes.size())});
    const auto line = m_lines.next();
    if (!line) return;
    if (m_sent_ns == 0) return send(); // the first reading only confirms that the connection works
    const Json reading = jsonFromPeer(*line);
    const auto realtime_ns = numberAt(reading, "realtime_ns");
    if (!realtime_ns) return m_call->closeInput();
    ++m_readings;
    const int64_t error_ns = (received_ns - m_sent_ns) / 2;
    // If the clock was set back in the meantime, the round trip may be negative.
    if (error_ns >= 0 && (!m_best.isKnown || error_ns < m_best.error_ns)) {
        m_best = {true, *realtime_ns - (m_sent_ns + error_ns), error_ns};
    }
    send();
}

} // namespace lockstep
