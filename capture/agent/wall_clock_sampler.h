// SPDX-License-Identifier: Apache-2.0
// WallClockSampler chooses which readings of the wall clock (relative to the raw clock) to keep. At every
// reading that is not kept, the straight line between the kept readings is within kTolerance_ns of the wall
// clock. A clock that is set or slewed is sampled closely, and an even clock every few seconds. Created by
// ClockExchange, used on its thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "capture/agent/clock_pair.h"

namespace lockstep::agent {

class WallClockSampler {
  public:
    static constexpr int64_t kTolerance_ns = 1'000;
    static constexpr int64_t kKeepEvery_ns = 5'000'000'000;
    // Maximum number of readings kept per kKeepEvery_ns. Further readings are dropped and counted, so that a
    // very noisy clock does not fill a disk.
    static constexpr int kMaxKept = 40;

    // Adds a reading; readings must be added in chronological order. If the reading is to be kept, it is
    // added to the kept readings.
    void take(const WallReading& reading);
    // Keeps the last reading, so that the kept readings cover all rounds up to it.
    void keepLast();
    std::vector<WallReading> takeKept() { return std::exchange(m_kept, {}); }
    // Returns the number of readings that should have been kept but were dropped.
    uint64_t excluded() const { return m_excluded; }

  private:
    void keep(const WallReading& reading);
    int64_t expectedAt(int64_t raw_ns) const;

    std::vector<WallReading> m_kept;
    std::optional<WallReading> m_before, m_anchor; // the last two readings that were kept
    std::optional<WallReading> m_last;             // the last reading that was added
    int64_t m_periodBegin_ns = 0;
    int m_inPeriod = 0;
    uint64_t m_excluded = 0;
};

} // namespace lockstep::agent
