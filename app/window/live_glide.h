// SPDX-License-Identifier: Apache-2.0
// LiveGlide moves the right edge of a view that follows live data. Data arrives in batches; the edge moves at
// the speed of the wall clock, a small latency behind the newest data, so that a batch does not make it jump.
// The latency adapts to the longest recent pause between batches. The edge never passes the newest data and
// never moves back. Times are on the aligned axis, or on any monotonic clock where named `now`. Value type.
#pragma once

#include <optional>

#include "core/base/time.h"

namespace lockstep {

class LiveGlide {
  public:
    // Call when a scene with new data is shown; newest: the end of its data. A newest time before the last
    // one means that the axis was moved, and starts over.
    void setNewest(TraceTime newest, Duration now);
    void reset() { m_newest.reset(); }
    bool isMoving() const { return m_newest.has_value(); }
    // Advances the edge and returns it. Call setNewest() first.
    TraceTime edgeAt(Duration now);
    // Returns the latency at which the edge follows right after a batch.
    Duration latency() const { return m_latency; }

  private:
    static constexpr Duration kMinLatency{50'000'000}, kMaxLatency{2'000'000'000};
    static constexpr Duration kMaxLag{3'000'000'000}; // beyond its latency; then the edge jumps

    std::optional<TraceTime> m_newest;
    TraceTime m_edge;
    Duration m_arrived, m_moved; // times of the last batch, and of the last edgeAt()
    Duration m_latency = kMinLatency;
};

} // namespace lockstep
