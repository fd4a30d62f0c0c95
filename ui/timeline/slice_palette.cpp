#include "ui/timeline/slice_palette.h"

namespace lockstep {

SlicePalette::SlicePalette(const Theme& theme) : m_theme(&theme)
{
    for (size_t category = 0; category < m_pairs.size(); ++category) {
        for (int shade = 0; shade < Theme::kShades; ++shade) {
            const QColor fill = theme.shadeColor(static_cast<SliceCategory>(category), shade);
            m_pairs[category][static_cast<size_t>(shade)] = {fill.rgb(), textColorOn(fill).rgb()};
        }
    }
    m_busy = blended(theme.category(SliceCategory::compute).rgb(), theme.lane.rgb(), 205);
}

QRgb SlicePalette::fill(const SliceBox& box) const
{
    return box.ownColor != 0 ? m_theme->ownColor(box.ownColor & 0xFFFFFFu).rgb()
                             : at(box.category, box.nameHash).fill;
}

QRgb SlicePalette::text(const SliceBox& box) const
{
    return box.ownColor != 0 ? textColorOn(QColor(fill(box))).rgb() : at(box.category, box.nameHash).text;
}

} // namespace lockstep
