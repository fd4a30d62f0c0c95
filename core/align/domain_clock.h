// SPDX-License-Identifier: Apache-2.0
// DomainClock: how the coarse time of a clock domain stands to its host's raw clock, as far as its files say.
// Made for the exchange fit; a value that refers to its HostClocks.
#pragma once

#include <optional>

#include "core/align/clock_partition.h"
#include "core/align/host_clocks.h"

namespace lockstep {

class DomainClock {
  public:
    // Absent where its host took no part, or its files state no wall clock to the nanosecond.
    static std::optional<DomainClock> of(const Workspace& workspace, const ClockPartition& partition,
                                         uint32_t domain, const HostClocks& clocks);

    size_t clock() const { return m_clock; }
    // Stamps are of the raw clock itself: nothing that the wall clock does matters.
    bool isRaw() const { return m_kind == Kind::raw; }
    // The file does not say what its stamps follow after its one look at the wall clock.
    bool isUnsure() const { return m_kind == Kind::anchored; }
    // Moment of the raw clock at a coarse time, and back.
    OffsetRange rawAt(int64_t coarse_ns) const;
    OffsetRange coarseAt(OffsetRange raw) const;
    const WallClockPath& path() const { return *m_path; }
    // Coarse time at a point of the path.
    int64_t coarseOfWall(int64_t raw_ns, int64_t wall_ns) const { return raw_ns + wall_ns - m_utcAtZero_ns; }

  private:
    enum class Kind : uint8_t {
        raw,     // capture spools: CLOCK_MONOTONIC_RAW
        wall,    // Kineto and the event logs: the host's wall clock
        anchored // nsys and others: the wall clock was read once, at the session's start
    };

    const WallClockPath* m_path = nullptr;
    size_t m_clock = 0;
    Kind m_kind = Kind::wall;
    int64_t m_utcAtZero_ns = 0;
    OffsetRange m_behind{}; // raw, anchored: coarse time minus raw clock
};

} // namespace lockstep
