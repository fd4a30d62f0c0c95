// SlicePalette: a theme's slice colours as pixel values, looked up once a shape. A value, any thread.
#pragma once

#include <array>

#include <QRgb>

#include "core/timeline/display_list.h"
#include "ui/style/theme.h"

namespace lockstep {

class SlicePalette {
  public:
    explicit SlicePalette(const Theme& theme);

    QRgb fill(SliceCategory category, uint32_t nameHash) const { return at(category, nameHash).fill; }
    QRgb fill(const SliceBox& box) const;
    // Black or white, readable on fill(box).
    QRgb text(const SliceBox& box) const;
    // Of a GPU's busy row.
    QRgb busy() const { return m_busy; }

  private:
    struct Pair {
        QRgb fill = 0;
        QRgb text = 0;
    };
    const Pair& at(SliceCategory category, uint32_t nameHash) const
    {
        return m_pairs[static_cast<size_t>(category)][static_cast<size_t>(Theme::shadeOf(nameHash))];
    }

    const Theme* m_theme; // themes are immortal
    QRgb m_busy = 0;
    std::array<std::array<Pair, Theme::kShades>, static_cast<size_t>(SliceCategory::count)> m_pairs;
};

// a over b: part 255 gives a.
inline QRgb blended(QRgb a, QRgb b, uint32_t part)
{
    const auto mix = [part](int x, int y) {
        return static_cast<int>(
            (static_cast<uint32_t>(x) * part + static_cast<uint32_t>(y) * (255 - part) + 127) / 255);
    };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

} // namespace lockstep
