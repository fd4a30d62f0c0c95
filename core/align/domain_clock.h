// SPDX-License-Identifier: Apache-2.0
// DomainClock: the relation between the coarse time of a clock domain and its host's raw clock, as far as its
// files record it. Created for the exchange fit. Value type that refers to its HostClocks.
#pragma once

#include <optional>

#include "core/align/clock_partition.h"
#include "core/align/host_clocks.h"

namespace lockstep {

class DomainClock {
  public:
    // Returns nullopt if the host did not take part in the clock exchange, or if the files have no wall clock
    // with ns resolution.
    static std::optional<DomainClock> of(const Workspace& workspace, const ClockPartition& partition,
                                         uint32_t domain, const HostClocks& clocks);

    size_t clock() const { return m_clock; }
    // True if timestamps are on the raw clock, so that wall clock steps do not matter.
    bool isRaw() const { return m_kind == Kind::raw; }
    // True if the file records only a single wall clock reading and not the clock that its timestamps follow
    // afterwards.
    bool isUncertain() const { return m_kind == Kind::anchored; }
    // Converts a coarse time to the raw clock, and back.
    OffsetRange rawAt(int64_t coarse_ns) const;
    OffsetRange coarseAt(OffsetRange raw) const;
    const WallClockMapping& path() const { return *m_path; }
    // Returns the coarse time at a point of the wall-clock mapping.
    int64_t coarseFromWall(int64_t raw_ns, int64_t wall_ns) const
    {
        return raw_ns + wall_ns - m_utcAtZero_ns;
    }

  private:
    enum class Kind : uint8_t {
        raw,     // capture spools: CLOCK_MONOTONIC_RAW
        wall,    // Kineto and the event logs: the host's wall clock
        anchored // nsys and others: the wall clock was read once, at the start of the session
    };

    const WallClockMapping* m_path = nullptr;
    size_t m_clock = 0;
    Kind m_kind = Kind::wall;
    int64_t m_utcAtZero_ns = 0;
    OffsetRange m_coarseMinusRaw{}; // raw, anchored: coarse time minus raw clock
};

} // namespace lockstep
