// SPDX-License-Identifier: Apache-2.0
#include "core/remote/clock_exchange.h"

#include <chrono>

#include "core/base/json_fields.h"

namespace lockstep {

int64_t epochNow_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

ClockExchange::ClockExchange(std::shared_ptr<const Remote> remote, const std::string& agentWord,
                             QObject* parent)
    : QObject(parent), m_call(remote->streamCall("exec " + agentWord + " clock --follow", this))
{
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
    m_line += bytes;
    if (!m_line.contains('\n')) return;
    if (m_sent_ns == 0) { // the first reading says that the connection stands
        m_line.clear();
        return send();
    }
    const Json reading = Json::parse(std::exchange(m_line, {}).toStdString(), nullptr, false);
    const auto realtime_ns = numberAt(reading, "realtime_ns");
    if (!realtime_ns) return m_call->closeInput();
    ++m_readings;
    const int64_t error_ns = (received_ns - m_sent_ns) / 2;
    // A clock set back meanwhile would make a round trip negative.
    if (error_ns >= 0 && (!m_best.isKnown || error_ns < m_best.error_ns)) {
        m_best = {true, *realtime_ns - (m_sent_ns + error_ns), error_ns};
    }
    send();
}

} // namespace lockstep
