// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/wall_clock_sampler.h"

#include <cstdlib>

namespace lockstep::agent {

// Extrapolates the straight line through the last two kept readings.
int64_t WallClockSampler::expectedAt(int64_t raw_ns) const
{
    if (!m_before || m_anchor->raw_ns <= m_before->raw_ns) return m_anchor->wall_ns;
    const __int128 rise = m_anchor->wall_ns - m_before->wall_ns;
    return m_anchor->wall_ns +
           static_cast<int64_t>(rise * (raw_ns - m_anchor->raw_ns) / (m_anchor->raw_ns - m_before->raw_ns));
}

void WallClockSampler::keep(const WallReading& reading)
{
    if (reading.raw_ns - m_periodBegin_ns >= kKeepEvery_ns) {
        m_periodBegin_ns = reading.raw_ns;
        m_inPeriod = 0;
    }
    if (++m_inPeriod > kMaxKept) {
        ++m_excluded;
        return;
    }
    m_before = std::exchange(m_anchor, reading);
    m_kept.push_back(reading);
}

void WallClockSampler::take(const WallReading& reading)
{
    if (m_last && reading.raw_ns <= m_last->raw_ns) return;
    if (!m_anchor) {
        keep(reading);
    } else {
        const int64_t off_ns = std::abs(reading.wall_ns - expectedAt(reading.raw_ns));
        const bool isOff = off_ns > kTolerance_ns + reading.uncertainty_ns;
        // The last reading that was still on the line becomes the corner.
        if (isOff && m_last->raw_ns > m_anchor->raw_ns) keep(*m_last);
        if (isOff || reading.raw_ns - m_anchor->raw_ns >= kKeepEvery_ns) keep(reading);
    }
    m_last = reading;
}

void WallClockSampler::keepLast()
{
    if (m_last && m_last->raw_ns > m_anchor->raw_ns) keep(*m_last);
}

} // namespace lockstep::agent
