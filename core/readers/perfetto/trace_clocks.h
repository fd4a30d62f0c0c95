// SPDX-License-Identifier: Apache-2.0
// TraceClocks: the clocks of a Perfetto trace, from its clock snapshots, and the conversion of timestamps to
// the trace clock. Filled while packets are read, queried afterwards. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep {

// A clock of a trace. Clocks 64 to 127 are local to one packet sequence, so the key includes the sequence.
using ClockKey = uint64_t;

namespace perfettoClock {
inline constexpr uint32_t kRealtime = 1; // IDs of BuiltinClock
inline constexpr uint32_t kBoottime = 6;
} // namespace perfettoClock

class TraceClocks {
  public:
    static ClockKey key(uint32_t sequence, uint64_t clock);

    // Adds a ClockSnapshot: clocks = 1 { clock_id = 1, timestamp = 2, is_incremental = 3, unit_multiplier_ns
    // = 4 }, primary_trace_clock = 2. Returns false if the message is malformed; the part before the error is
    // used.
    bool addSnapshot(std::string_view message, uint32_t sequence);
    // Returns a packet's timestamp in ns of its clock: applies units and adds up the differences of
    // incremental clocks.
    int64_t absolute(ClockKey clock, uint64_t timestamp);

    // Returns the trace clock, which is BOOTTIME unless a snapshot specifies a different clock.
    ClockKey traceClock() const { return m_traceClock; }
    // Converts to ns of the trace clock. Uses the last snapshot of both clocks that is not later than the
    // time, otherwise the first snapshot of both. Returns nullopt if no snapshot contains both clocks.
    std::optional<int64_t> toTrace(ClockKey clock, int64_t time_ns) const;
    // Returns the Unix time in ns at the trace clock's zero.
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
