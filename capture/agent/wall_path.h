// SPDX-License-Identifier: Apache-2.0
// WallPath: chooses which readings of the wall clock against the raw one are kept, so that straight lines
// between kept readings tell the wall clock to kTolerance_ns at every reading in between: a clock that is set
// or slewed is kept closely, one that runs evenly every few seconds. Made by ClockExchange, its thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "capture/agent/clock_pair.h"

namespace lockstep::agent {

class WallPath {
  public:
    static constexpr int64_t kTolerance_ns = 1'000;
    static constexpr int64_t kKeepEvery_ns = 5'000'000'000;
    // Readings kept in a stretch of kKeepEvery_ns; more are left out, and counted: a clock that is nothing
    // but noise must not fill a disk.
    static constexpr int kMostKept = 40;

    // Readings in the order of time. Those to be kept are added to kept().
    void take(const WallReading& reading);
    // The last that was seen, for what comes up to it.
    void keepLast();
    std::vector<WallReading> takeKept() { return std::exchange(m_kept, {}); }
    // Readings that should have been kept.
    uint64_t leftOut() const { return m_leftOut; }

  private:
    void keep(const WallReading& reading);
    int64_t expectedAt(int64_t raw_ns) const;

    std::vector<WallReading> m_kept;
    std::optional<WallReading> m_before, m_anchor; // the last two that were kept
    std::optional<WallReading> m_last;             // the last that was seen
    int64_t m_stretchBegin_ns = 0;
    int m_inStretch = 0;
    uint64_t m_leftOut = 0;
};

} // namespace lockstep::agent
