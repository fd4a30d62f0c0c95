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

Duration PixelScale::durationOf(int pixels) const
{
    const __int128 ns = (__int128(pixels) * m_length + m_width - 1) / m_width;
    return {std::max<int64_t>(1, static_cast<int64_t>(ns))};
}

} // namespace lockstep
