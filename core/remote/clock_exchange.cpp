// SPDX-License-Identifier: Apache-2.0
#include "core/remote/clock_exchange.h"

#include <chrono>
#include <ctime>
#include <utility>

#include <QSysInfo>

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
                             int idleTimeout_s, QObject* parent)
    : QObject(parent),
      m_call(remote->streamCall("exec " + quotedAgentPath + " clock --follow", this,
                                {"clock", idleTimeout_s, 2 * idleTimeout_s, kMaxReadings_bytes})),
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

namespace {

constexpr int kReading_bytes = 4 << 10; // maximum number of bytes per request
constexpr int kSilence_s = 60;

int64_t clockNow_ns(clockid_t clock)
{
    timespec now = {};
    clock_gettime(clock, &now);
    return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Returns CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW of this machine, and its error bound, in ns.
std::pair<int64_t, int64_t> ownWallClock()
{
    const int64_t before_ns = clockNow_ns(CLOCK_MONOTONIC_RAW);
    const int64_t real_ns = clockNow_ns(CLOCK_REALTIME);
    const int64_t after_ns = clockNow_ns(CLOCK_MONOTONIC_RAW);
    return {real_ns - before_ns - (after_ns - before_ns) / 2, (after_ns - before_ns) / 2 + 1};
}

} // namespace

LinkClock::LinkClock(std::shared_ptr<const Remote> remote, const std::string& quotedAgentPath,
                     QObject* parent)
    : QObject(parent), m_call(remote->streamCall("exec " + quotedAgentPath + " clock --follow", this,
                                                 {"clock", kSilence_s, 0, kReading_bytes})),
      m_next(this), m_lines(kReading_bytes)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &LinkClock::send);
    connect(m_call, &RemoteCall::outputArrived, this, &LinkClock::take);
    connect(m_call, &RemoteCall::finished, this, [this] {
        m_next.stop();
        emit finished();
    });
}

void LinkClock::end()
{
    m_next.stop();
    m_call->closeInput();
}

void LinkClock::send()
{
    m_isReadingPending = true;
    m_call->allow(kReading_bytes);
    m_sent_ns = clockNow_ns(CLOCK_MONOTONIC_RAW);
    m_call->write("\n");
}

void LinkClock::take(const QByteArray& bytes)
{
    const int64_t received_ns = clockNow_ns(CLOCK_MONOTONIC_RAW);
    m_lines.add({bytes.data(), static_cast<size_t>(bytes.size())});
    const auto line = m_lines.next();
    if (!line) return;
    if (m_sent_ns == 0) return send(); // the first reading only confirms that the connection works
    // A reading that was not requested would be paired with the wrong request.
    if (std::exchange(m_isReadingPending, false)) handleReading(std::string(*line), received_ns);
}

void LinkClock::handleReading(const std::string& line, int64_t received_ns)
{
    if (auto round = linkRound(m_sent_ns, received_ns, line); round) {
        if (!m_best || round->first < m_best->delay_ns) m_best = Best{round->first, std::move(round->second)};
    }
    if (++m_rounds < kRounds) return send();
    m_rounds = 0;
    if (m_best) emit measured(m_best->line);
    m_best.reset();
    m_next.start(kBurstEvery_ms);
}

std::optional<std::pair<int64_t, std::string>> linkRound(int64_t sent_ns, int64_t received_ns,
                                                         std::string_view reading)
{
    const Json json = jsonFromPeer(reading);
    const auto raw_ns = numberAt(json, "monotonic_raw_ns");
    const auto real_ns = numberAt(json, "realtime_ns");
    const auto uncertainty_ns = numberAt(json, "uncertainty_ns");
    if (!raw_ns || !real_ns || !uncertainty_ns || *uncertainty_ns < 0 || received_ns < sent_ns)
        return std::nullopt;
    const auto [wall_ns, wallUncertainty_ns] = ownWallClock();
    // A round with the two ends swapped. This machine, the peer, sends (t3). The host receives and
    // immediately sends (t4 and t1 are its single reading). This machine receives (t2). This machine's clock
    // is ahead of the host's clock by at least t3 - t4 and at most t2 - t1.
    const Json event{{"seq", 0},
                     {"t_ns", *real_ns},
                     {"kind", "clock_exchange"},
                     {"state", "round"},
                     {"via", "link"},
                     {"clock", "CLOCK_MONOTONIC_RAW"},
                     {"peer", "lockstep on " + QSysInfo::machineHostName().toStdString()},
                     {"boot", textAt(json, "boot_id")},
                     {"peer_boot", QSysInfo::bootUniqueId().toStdString()},
                     {"t1_ns", *raw_ns},
                     {"t2_ns", received_ns},
                     {"t3_ns", sent_ns},
                     {"t4_ns", *raw_ns},
                     {"delay_ns", received_ns - sent_ns},
                     {"wall_ns", *real_ns - *raw_ns},
                     {"wall_doubt_ns", *uncertainty_ns},
                     {"peer_wall_ns", wall_ns},
                     {"peer_wall_doubt_ns", wallUncertainty_ns}};
    return std::pair(received_ns - sent_ns, jsonLine(event));
}

} // namespace lockstep
