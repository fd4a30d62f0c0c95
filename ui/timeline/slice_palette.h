// SPDX-License-Identifier: Apache-2.0
// SlicePalette: a theme's slice colours as pixel values, looked up once a shape. A value, any thread.
#pragma once

#include <array>

#include <QRgb>

#include "core/timeline/display_list.h"
#include "ui/style/theme.h"

namespace lockstep {

class SlicePalette {
  public:
    // scale: device pixels of one at scale 1: patterns are as large on every screen.
    explicit SlicePalette(const Theme& theme, double scale = 1);

    QRgb color(const Ink& ink) const
    {
        return ink.kind == Ink::Kind::slice ? at(ink.category, ink.value).fill : specialColor(ink);
    }
    // isHatched: the pixel lies on a line of the pattern that says that a report is missing.
    QRgb heat(HeatCell cell, bool isHatched) const
    {
        if (cell.category == HeatCell::kNoReport) return isHatched ? m_missing : m_lane;
        return m_heat[static_cast<size_t>(cell.category)][cell.part];
    }
    // Black or white, readable on the ink.
    QRgb textOn(const Ink& ink) const;
    QRgb window() const { return m_window; }
    // Black or white, readable on the box.
    QRgb text(const SliceBox& box) const;
    // Lines on what is behind, in place of a fill.
    static constexpr bool isHatch(Ink::Kind kind)
    {
        return kind == Ink::Kind::loss || kind == Ink::Kind::bubble;
    }
    // Slanted lines, two pixels of eight at scale 1; x and y from the row's corner.
    bool isHatched(int x, int y) const { return isMarked(Pattern::diagonal, x, y); }

    // What says a category again to those who do not tell its colour: synchronization and overhead always,
    // communication in themes for them.
    enum class Pattern : uint8_t { none, dots, diagonal, cross };
    Pattern pattern(const Ink& ink) const;
    // Farther from the colour of the text on it than the ink itself.
    QRgb mark(const Ink& ink) const;
    bool isMarked(Pattern pattern, int x, int y) const
    {
        x /= m_unit;
        y /= m_unit;
        if (pattern == Pattern::dots) return x % 6 < 2 && y % 6 < 2;
        if (pattern == Pattern::diagonal) return (x + y) % 8 < 2;
        return pattern == Pattern::cross && ((x + y) % 8 == 0 || (x + 800'000 - y) % 8 == 0);
    }

  private:
    struct Pair {
        QRgb fill = 0;
        QRgb text = 0;
    };
    const Pair& at(SliceCategory category, uint32_t nameHash) const
    {
        return m_pairs[static_cast<size_t>(category)][static_cast<size_t>(Theme::shadeOf(nameHash))];
    }

    QRgb specialColor(const Ink& ink) const;

    const Theme* m_theme; // themes are immortal
    int m_unit = 1;       // device pixels of one of a pattern
    QRgb m_window = 0, m_lane = 0, m_missing = 0, m_value = 0, m_loss = 0, m_bubble = 0, m_text = 0,
         m_outline = 0, m_grid = 0, m_moment = 0, m_alarm = 0, m_hit = 0;
    std::array<QRgb, kRlPhases> m_phases;
    std::array<std::array<QRgb, Theme::kShades>, static_cast<size_t>(SliceCategory::count)> m_memory;
    std::array<QRgb, static_cast<size_t>(SliceCategory::count)> m_busy;
    std::array<std::array<QRgb, 256>, static_cast<size_t>(SliceCategory::count)> m_heat;
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
