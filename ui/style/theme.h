// SPDX-License-Identifier: Apache-2.0
// Theme holds all colors of the program, by role. There is a light and a dark theme. Each has a variant for
// color-blind users, in which slices also have patterns. Immutable. No other code contains color literals.
// Any thread may read.
#pragma once

#include <array>
#include <string_view>

#include <QColor>
#include <QPalette>

#include "core/trace/row_kind.h"

namespace lockstep {

struct Theme {
    bool isDark = false;
    // If true, category colors are distinguishable for people with protan, deutan or tritan color vision, and
    // some categories have a pattern; see SlicePalette.
    bool isColorBlind = false;
    QColor window, lane, laneAlternate, panel, line, text, mutedText, accent, selection, good, warn, bad,
        idle;
    std::array<QColor, static_cast<size_t>(SliceCategory::count)> categories;

    QColor category(SliceCategory c) const { return categories[static_cast<size_t>(c)]; }
    // Returns the color of a slice. The hue depends on the category, the lightness on the name: a stable hash
    // of the name selects one of 6 shades of the category's color. A name has the same color in every run and
    // report.
    QColor sliceColor(SliceCategory c, uint32_t nameHash) const { return shadeColor(c, shadeOf(nameHash)); }
    static constexpr int kShades = 6;
    static constexpr int shadeOf(uint32_t nameHash)
    {
        return static_cast<int>((nameHash ^ (nameHash >> 16)) % static_cast<uint32_t>(kShades));
    }
    // Returns a shade of the category color; `shade` in [0, kShades), darker to lighter.
    QColor shadeColor(SliceCategory c, int shade) const;
    // Returns a color that the profiled program set through NVTX (0xRRGGBB), adjusted to be readable on this
    // theme.
    QColor ownColor(uint32_t rgb) const;
    // Returns the color for actor, rollout, ref, critic, reward or controller; all other roles have the color
    // of "other".
    QColor roleColor(std::string_view role) const;
    // Returns the palette for QApplication::setPalette.
    QPalette palette() const;
};

const Theme& lightTheme();
const Theme& darkTheme();
const Theme& themeOf(bool isDark, bool isColorBlind);

// Returns black or white, whichever has the larger WCAG contrast on the background.
QColor textColorOn(const QColor& background);
// Returns the FNV-1a hash of the name, the same on all machines and in all runs.
uint32_t stableNameHash(std::string_view name);

} // namespace lockstep
