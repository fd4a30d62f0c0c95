// SPDX-License-Identifier: Apache-2.0
// PixelScale: which pixel a time falls into and where a pixel begins, exactly and in integers. Made per
// report and frame from the visible range on that report's clock; where gaps of the axis are folded it has
// several parts side by side, each of them even. A value, any thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

struct ScalePart;

class PixelScale {
  public:
    // range must not be empty and width must be at least 1; both are corrected to the least allowed.
    PixelScale() : PixelScale({}, 1) {}
    PixelScale(TimeRange range, int width);
    // Of at least one part; each begins, in time and pixels, where the one before it ends, and has a pixel.
    explicit PixelScale(std::vector<ScalePart> parts);

    TimeRange range() const { return m_range; }
    int width() const { return m_width; }
    // None where it is even.
    std::span<const ScalePart> parts() const;
    bool isEven() const { return m_parts == nullptr; }

    // The pixel that holds t: 0 for earlier times, width() for times at or after the range's end.
    int pixelOf(TraceTime t) const
    {
        if (t <= m_range.begin) return 0;
        if (t >= m_range.end) return m_width;
        if (m_parts != nullptr) return pixelInParts(t);
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
        if (m_parts != nullptr) return startInParts(x);
        const uint32_t rest = (static_cast<uint32_t>(x) * m_rest + static_cast<uint32_t>(m_width) - 1) /
                              static_cast<uint32_t>(m_width);
        return {m_range.begin.ns + x * m_step + static_cast<int64_t>(rest)};
    }
    TimeRange pixelRange(int x) const { return {startOf(x), startOf(x + 1)}; }
    // The shortest duration that is at least `pixels` wide; at least 1 ns. Of several parts: in the widest
    // that is not folded.
    Duration durationOf(int pixels) const;
    // Of a pixel, rounded down; of several parts as above.
    Duration pixelLength() const;

    // The same pixels for times on another clock. rangeOf(range): a range of this clock on that one.
    template<class RangeOf>
    PixelScale onClock(const RangeOf& rangeOf) const;

    friend bool operator==(const PixelScale& a, const PixelScale& b) { return a.isSame(b); }

  private:
    static constexpr int64_t kFastLength = int64_t(1) << 47;

    bool isSame(const PixelScale& other) const;
    int pixelInParts(TraceTime t) const;
    TraceTime startInParts(int x) const;

    TimeRange m_range;
    int m_width;                                           // at most 32,767, so that x * rest fits 32 bits
    int64_t m_length;                                      // ns
    int64_t m_step;                                        // whole ns a pixel
    uint32_t m_rest;                                       // length = step * width + rest
    std::shared_ptr<const std::vector<ScalePart>> m_parts; // null: even
    uint32_t m_widest = 0;                                 // of them, see durationOf()
};

// A run of pixels over which time runs evenly.
struct ScalePart {
    int begin = 0, end = 0; // pixels
    TimeRange range;
    TimeRange gap;     // aligned: the whole gap that is folded here; empty where none is
    PixelScale linear; // of the range, set by PixelScale

    bool isFolded() const { return !gap.isEmpty(); }
    int width() const { return end - begin; }
};

inline std::span<const ScalePart> PixelScale::parts() const
{
    if (m_parts == nullptr) return {};
    return *m_parts;
}

// Calls tell(range, pixels) for each run of pixels over which time runs evenly. pixels: one for each of the
// scale.
template<class T, class Tell>
void forEachEven(const PixelScale& scale, std::span<T> pixels, const Tell& tell)
{
    if (scale.isEven()) return tell(scale.range(), pixels);
    for (const ScalePart& part : scale.parts())
        tell(part.range, pixels.subspan(static_cast<size_t>(part.begin), static_cast<size_t>(part.width())));
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
