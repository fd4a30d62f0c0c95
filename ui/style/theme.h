// SPDX-License-Identifier: Apache-2.0
// Theme: every colour the program draws, by role. Light and dark, each also for those who tell red from green
// badly, whose slices have patterns too; immutable. Literals of
// colour stand nowhere else. Any thread may read.
#pragma once

#include <array>
#include <string_view>

#include <QColor>
#include <QPalette>

#include "core/trace/row_kind.h"

namespace lockstep {

struct Theme {
    bool isDark = false;
    // Categories differ for protans, deutans and tritans, and some have a pattern; see SlicePalette.
    bool isColorBlind = false;
    QColor window, lane, laneAlternate, panel, line, text, mutedText, accent, selection, good, warn, bad,
        idle;
    std::array<QColor, static_cast<size_t>(SliceCategory::count)> categories;

    QColor category(SliceCategory c) const { return categories[static_cast<size_t>(c)]; }
    // Hue says category, lightness says name: one of 6 steps around the category's colour, by a stable hash
    // of the name. The same name has the same colour in every run and report.
    QColor sliceColor(SliceCategory c, uint32_t nameHash) const { return shadeColor(c, shadeOf(nameHash)); }
    static constexpr int kShades = 6;
    static constexpr int shadeOf(uint32_t nameHash)
    {
        return static_cast<int>((nameHash ^ (nameHash >> 16)) % static_cast<uint32_t>(kShades));
    }
    // shade in [0, kShades): darker to lighter.
    QColor shadeColor(SliceCategory c, int shade) const;
    // The program's own NVTX colour (0xRRGGBB) moved in lightness until it is readable on this theme.
    QColor ownColor(uint32_t rgb) const;
    // actor, rollout, ref, critic, reward, controller; any other word gives the colour of "other".
    QColor roleColor(std::string_view role) const;
    // For QApplication::setPalette.
    QPalette palette() const;
};

const Theme& lightTheme();
const Theme& darkTheme();
const Theme& themeOf(bool isDark, bool isColorBlind);

// Black or white, whichever has the larger WCAG contrast on the background.
QColor textColorOn(const QColor& background);
// FNV-1a; stable across runs and machines.
uint32_t stableNameHash(std::string_view name);

} // namespace lockstep
