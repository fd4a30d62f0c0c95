// SPDX-License-Identifier: Apache-2.0
// PixelScale: which pixel a time falls into and where a pixel begins, exactly and in integers. Made per
// report and frame from the visible range on that report's clock; a value, any thread.
#pragma once

#include "core/base/time.h"

namespace lockstep {

class PixelScale {
  public:
    // range must not be empty and width must be at least 1; both are corrected to the least allowed.
    PixelScale() : PixelScale({}, 1) {}
    PixelScale(TimeRange range, int width);

    TimeRange range() const { return m_range; }
    int width() const { return m_width; }

    // The pixel that holds t: 0 for earlier times, width() for times at or after the range's end.
    int pixelOf(TraceTime t) const
    {
        if (t <= m_range.begin) return 0;
        if (t >= m_range.end) return m_width;
        const int64_t since = t.ns - m_range.begin.ns;
        if (m_length < kFastLength) return static_cast<int>(since * m_width / m_length);
        return static_cast<int>(__int128(since) * m_width / m_length);
    }
    // The first ns of pixel x: t lies in pixel x exactly when startOf(x) <= t < startOf(x + 1). Pixels
    // narrower than 1 ns may be empty. x outside [0, width()] gives the range's begin or end.
    TraceTime startOf(int x) const
    {
        if (x <= 0) return m_range.begin;
        if (x >= m_width) return m_range.end;
        const uint32_t rest = (static_cast<uint32_t>(x) * m_rest + static_cast<uint32_t>(m_width) - 1) /
                              static_cast<uint32_t>(m_width);
        return {m_range.begin.ns + x * m_step + static_cast<int64_t>(rest)};
    }
    TimeRange pixelRange(int x) const { return {startOf(x), startOf(x + 1)}; }
    // The shortest duration that is at least `pixels` wide; at least 1 ns.
    Duration durationOf(int pixels) const;

  private:
    static constexpr int64_t kFastLength = int64_t(1) << 47;

    TimeRange m_range;
    int m_width;      // at most 32,767, so that x * rest fits 32 bits
    int64_t m_length; // ns
    int64_t m_step;   // whole ns a pixel
    uint32_t m_rest;  // length = step * width + rest
};

} // namespace lockstep
