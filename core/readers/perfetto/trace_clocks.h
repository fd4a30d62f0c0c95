// SPDX-License-Identifier: Apache-2.0
// TraceClocks: the clocks of a Perfetto trace, from its clock snapshots, and the conversion of any stamp to
// the trace's own clock. Filled while packets are walked, asked afterwards. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep {

// A clock of a trace. Numbers 64 to 127 mean something only within one packet sequence, so they carry it.
using ClockKey = uint64_t;

namespace perfettoClock {
inline constexpr uint32_t kRealtime = 1; // BuiltinClock numbers
inline constexpr uint32_t kMonotonic = 3;
inline constexpr uint32_t kBoottime = 6;
} // namespace perfettoClock

class TraceClocks {
  public:
    static ClockKey key(uint32_t sequence, uint64_t clock);

    // ClockSnapshot: clocks = 1 { clock_id = 1, timestamp = 2, is_incremental = 3, unit_multiplier_ns = 4 },
    // primary_trace_clock = 2.
    // False where it breaks the wire format; what came before is used.
    bool addSnapshot(std::string_view message, uint32_t sequence);
    // A packet's stamp as ns of its clock: units applied, differences of incremental clocks summed up.
    int64_t absolute(ClockKey clock, uint64_t stamp);

    // BOOTTIME unless a snapshot names another.
    ClockKey traceClock() const { return m_traceClock; }
    // ns of the trace clock, by the last snapshot of both clocks that is not later, else the first. Empty
    // when no snapshot has both.
    std::optional<int64_t> toTrace(ClockKey clock, int64_t time_ns) const;
    // Unix-epoch ns at the trace clock's zero.
    std::optional<int64_t> utcAtZero_ns() const;
    size_t snapshotCount() const { return m_snapshots.size(); }

  private:
    struct Unit {
        int64_t multiplier = 1;
        bool isIncremental = false;
        int64_t last_ns = 0;
    };
    using Times = std::map<ClockKey, int64_t>;

    std::map<ClockKey, Unit> m_units;
    std::vector<Times> m_snapshots; // in file order
    ClockKey m_traceClock = perfettoClock::kBoottime;
};

} // namespace lockstep
