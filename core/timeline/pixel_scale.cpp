// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/pixel_scale.h"

namespace lockstep {

PixelScale::PixelScale(TimeRange range, int width) : m_range(range), m_width(std::clamp(width, 1, 32'767))
{
    if (m_range.isEmpty()) m_range.end.ns = m_range.begin.ns + 1;
    m_length = m_range.length().ns;
    m_step = m_length / m_width;
    m_rest = static_cast<uint32_t>(m_length % m_width);
}

PixelScale::PixelScale(std::vector<ScalePart> parts)
    : PixelScale(TimeRange{parts.front().range.begin, parts.back().range.end}, parts.back().end)
{
    for (size_t i = 0; i < parts.size(); ++i) {
        ScalePart& part = parts[i];
        part.linear = PixelScale(part.range, part.width());
        const ScalePart& widest = parts[m_widest];
        const bool isBetter =
            widest.isFolded() != part.isFolded() ? widest.isFolded() : part.width() > widest.width();
        if (isBetter) m_widest = static_cast<uint32_t>(i);
    }
    m_parts = std::make_shared<const std::vector<ScalePart>>(std::move(parts));
}

bool PixelScale::isSame(const PixelScale& other) const
{
    const auto isSamePart = [](const ScalePart& a, const ScalePart& b) {
        return a.begin == b.begin && a.end == b.end && a.range == b.range && a.gap == b.gap;
    };
    return m_range == other.m_range && m_width == other.m_width &&
           std::ranges::equal(parts(), other.parts(), isSamePart);
}

int PixelScale::pixelInParts(TraceTime t) const
{
    const auto later = [t](const ScalePart& part) { return part.range.end <= t; };
    const auto part = std::ranges::partition_point(*m_parts, later);
    return part->begin + part->linear.pixelOf(t);
}

TraceTime PixelScale::startInParts(int x) const
{
    const auto before = [x](const ScalePart& part) { return part.end <= x; };
    const auto part = std::ranges::partition_point(*m_parts, before);
    return part->linear.startOf(x - part->begin);
}

Duration PixelScale::durationOf(int pixels) const
{
    if (m_parts != nullptr) return (*m_parts)[m_widest].linear.durationOf(pixels);
    const __int128 ns = (__int128(pixels) * m_length + m_width - 1) / m_width;
    return {std::max<int64_t>(1, static_cast<int64_t>(ns))};
}

Duration PixelScale::pixelLength() const
{
    return m_parts != nullptr ? (*m_parts)[m_widest].linear.pixelLength() : Duration{m_step};
}

} // namespace lockstep
