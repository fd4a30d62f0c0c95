// SPDX-License-Identifier: Apache-2.0
// PixelScale: maps times to pixels and back, exactly and in integers. Created per report and frame from the
// visible range on that report's clock. If gaps on the axis are collapsed, the scale has several linear
// parts. Value type. Thread: any.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

struct ScalePart;

class PixelScale {
  public:
    // range must not be empty and width must be at least 1; smaller values are raised to the minimum.
    PixelScale() : PixelScale({}, 1) {}
    PixelScale(TimeRange range, int width);
    // Requires at least one part. Each part begins where the previous one ends, both in time and in pixels,
    // and is at least one pixel wide.
    explicit PixelScale(std::vector<ScalePart> parts);

    TimeRange range() const { return m_range; }
    int width() const { return m_width; }
    // Empty for a linear scale.
    std::span<const ScalePart> parts() const;
    bool isEven() const { return m_parts == nullptr; }

    // Returns the pixel that contains t: 0 for earlier times, width() for times at or after the end of the
    // range.
    int pixelOf(TraceTime t) const
    {
        if (t <= m_range.begin) return 0;
        if (t >= m_range.end) return m_width;
        if (m_parts != nullptr) return pixelInParts(t);
        const int64_t since = t.ns - m_range.begin.ns;
        if (m_length < kFastLength) return static_cast<int>(since * m_width / m_length);
        return static_cast<int>(__int128(since) * m_width / m_length);
    }
    // Returns the first ns of pixel x: t is in pixel x if and only if startOf(x) <= t < startOf(x + 1).
    // Pixels narrower than 1 ns may be empty. For x outside [0, width()], returns the begin or end of the
    // range.
    TraceTime startOf(int x) const
    {
        if (x <= 0) return m_range.begin;
        if (x >= m_width) return m_range.end;
        if (m_parts != nullptr) return startInParts(x);
        const uint32_t rest = (static_cast<uint32_t>(x) * m_rest + static_cast<uint32_t>(m_width) - 1) /
                              static_cast<uint32_t>(m_width);
        return {m_range.begin.ns + x * m_step + static_cast<int64_t>(rest)};
    }
    TimeRange pixelRange(int x) const { return {startOf(x), startOf(x + 1)}; }
    // Returns the shortest duration that is at least `pixels` wide, at least 1 ns. If there are several
    // parts, the widest one that is not collapsed is used.
    Duration durationOf(int pixels) const;
    // Returns the duration of a pixel, rounded down. If there are several parts, uses the same part as
    // durationOf().
    Duration pixelLength() const;

    // Returns the same pixels for times on another clock. rangeOf(range): converts a range on this clock to
    // the other clock.
    template<class RangeOf>
    PixelScale onClock(const RangeOf& rangeOf) const;

    friend bool operator==(const PixelScale& a, const PixelScale& b) { return a.isSame(b); }

  private:
    static constexpr int64_t kFastLength = int64_t(1) << 47;

    bool isSame(const PixelScale& other) const;
    int pixelInParts(TraceTime t) const;
    TraceTime startInParts(int x) const;

    TimeRange m_range;
    int m_width;                                           // at most 32,767, so that x * rest fits into 32
                                                           // bits
    int64_t m_length;                                      // ns
    int64_t m_step;                                        // whole ns per pixel
    uint32_t m_rest;                                       // length = step * width + rest
    std::shared_ptr<const std::vector<ScalePart>> m_parts; // parts of the scale; nullptr: the scale is linear
    uint32_t m_widest = 0;                                 // index of a part, see durationOf()
};

// A run of pixels over which time is linear.
struct ScalePart {
    int begin = 0, end = 0; // range of pixels
    TimeRange range;
    TimeRange gap;     // aligned: the complete collapsed gap; empty if the part is not a gap
    PixelScale linear; // scale of this range; set by PixelScale

    bool isFolded() const { return !gap.isEmpty(); }
    int width() const { return end - begin; }
};

inline std::span<const ScalePart> PixelScale::parts() const
{
    if (m_parts == nullptr) return {};
    return *m_parts;
}

// Calls tell(range, pixels) for each run of pixels over which time is linear. pixels: one entry per pixel of
// the scale.
template<class T, class Visit>
void forEachEven(const PixelScale& scale, std::span<T> pixels, const Visit& visit)
{
    if (scale.isEven()) return visit(scale.range(), pixels);
    for (const ScalePart& part : scale.parts())
        visit(part.range, pixels.subspan(static_cast<size_t>(part.begin), static_cast<size_t>(part.width())));
}

template<class RangeOf>
PixelScale PixelScale::onClock(const RangeOf& rangeOf) const
{
    if (m_parts == nullptr) return PixelScale(rangeOf(m_range), m_width);
    std::vector<ScalePart> parts = *m_parts;
    for (ScalePart& part : parts)
        part.range = rangeOf(part.range);
    return PixelScale(std::move(parts));
}

} // namespace lockstep
