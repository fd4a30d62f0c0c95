// SPDX-License-Identifier: Apache-2.0
// SlicePalette holds the slice colors of a theme as pixel values, so that drawing needs only one lookup per
// shape. Value type; any thread.
#pragma once

#include <array>

#include <QRgb>

#include "core/samples/tail.h"
#include "core/timeline/display_list.h"
#include "core/timeline/heat_map.h"
#include "ui/style/theme.h"

namespace lockstep {

class SlicePalette {
  public:
    // `scale` is the number of device pixels per pixel at scale 1; patterns have the same size on every
    // screen.
    explicit SlicePalette(const Theme& theme, double scale = 1);

    QRgb color(const Ink& ink) const
    {
        return ink.kind == Ink::Kind::slice ? at(ink.category, ink.value).fill : specialColor(ink);
    }
    // Returns the color of a cell of a rank map. `isHatched` is true if the pixel is on a line of the pattern
    // that marks a missing report.
    QRgb heat(HeatCell cell, bool isHatched) const
    {
        if (cell.category == HeatCell::kNoReport) return isHatched ? m_missing : m_lane;
        return m_heat[static_cast<size_t>(cell.category)][cell.part];
    }
    // Returns black or white, whichever is more readable on a slice with this ink.
    QRgb textOn(const Ink& ink) const;
    QRgb window() const { return m_window; }
    // Returns black or white, whichever is more readable on the box; the result is muted if the box is
    // dimmed.
    QRgb text(const SliceBox& box) const;
    // Returns true if the kind is drawn as lines over the background instead of a fill.
    static constexpr bool isHatch(Ink::Kind kind)
    {
        return kind == Ink::Kind::loss || kind == Ink::Kind::bubble || kind == Ink::Kind::update;
    }
    // Returns true if the pixel is on one of the slanted lines, which cover two of every eight pixels at
    // scale 1. x and y are relative to the row's top left corner.
    bool isHatched(int x, int y) const { return isMarked(Pattern::diagonal, x, y); }

    // Pattern identifies a category without relying on color. Synchronization and overhead always have a
    // pattern; communication has one only in the color-blind themes.
    enum class Pattern : uint8_t { none, dots, diagonal, cross };
    Pattern pattern(const Ink& ink) const;
    // Returns the pattern color. It has a higher contrast to the label text than the slice's fill color has.
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

    const Theme* m_theme; // themes are never destroyed
    int m_unit = 1;       // device pixels per pattern pixel
    QRgb m_window = 0, m_lane = 0, m_missing = 0, m_value = 0, m_loss = 0, m_bubble = 0, m_text = 0,
         m_outline = 0, m_grid = 0, m_moment = 0, m_alarm = 0, m_hit = 0;
    std::array<QRgb, kRlPhases> m_phases;
    std::array<QRgb, kSampleParts> m_sampleParts;
    std::array<std::array<QRgb, Theme::kShades>, static_cast<size_t>(SliceCategory::count)> m_memory;
    std::array<QRgb, static_cast<size_t>(SliceCategory::count)> m_busy;
    std::array<std::array<QRgb, 256>, static_cast<size_t>(SliceCategory::count)> m_heat;
    std::array<std::array<Pair, Theme::kShades>, static_cast<size_t>(SliceCategory::count)> m_pairs;
};

// Returns `a` blended over `b` with opacity part / 255.
inline QRgb blended(QRgb a, QRgb b, uint32_t part)
{
    const auto mix = [part](int x, int y) {
        return static_cast<int>(
            (static_cast<uint32_t>(x) * part + static_cast<uint32_t>(y) * (255 - part) + 127) / 255);
    };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

} // namespace lockstep
