// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_glide.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr double kReserve = 1.25; // latency, in pauses between batches
constexpr double kDecay = 0.985;  // of the latency, per batch
// How much slower and faster than the wall clock the edge moves to correct its latency.
constexpr double kSlower = 0.25, kFaster = 0.5;
constexpr double kCorrected_ns = 1e9; // duration of a correction

int64_t scaled(Duration duration, double by)
{
    return static_cast<int64_t>(static_cast<double>(duration.ns) * by);
}

} // namespace

void LiveGlide::setNewest(TraceTime newest, Duration now)
{
    if (!m_newest || newest < *m_newest) {
        m_latency = kMinLatency;
        m_edge = newest;
        m_moved = now;
    } else if (newest > *m_newest) {
        const Duration pause{now.ns - m_arrived.ns};
        const int64_t latency_ns = std::max(scaled(pause, kReserve), scaled(m_latency, kDecay));
        m_latency = {std::clamp(latency_ns, kMinLatency.ns, kMaxLatency.ns)};
    } else {
        return;
    }
    m_newest = newest;
    m_arrived = now;
}

TraceTime LiveGlide::edgeAt(Duration now)
{
    const int64_t passed_ns = std::max<int64_t>(0, now.ns - m_moved.ns);
    m_moved = now;
    // The newest data is as old as the last batch.
    const int64_t since_ns = now.ns - m_arrived.ns;
    const int64_t late_ns = (*m_newest - m_edge).ns - std::max<int64_t>(0, m_latency.ns - since_ns);
    if (late_ns > kMaxLag.ns) return m_edge = *m_newest - m_latency;
    const double correction = std::clamp(static_cast<double>(late_ns) / kCorrected_ns, -kSlower, kFaster);
    m_edge = std::min(*m_newest, m_edge + Duration{scaled({passed_ns}, 1 + correction)});
    return m_edge;
}

} // namespace lockstep
