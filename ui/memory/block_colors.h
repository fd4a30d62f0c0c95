// SPDX-License-Identifier: Apache-2.0
// BlockColors colors the blocks of the allocator map by category, age or stack, and builds the legend. Each
// object is for one theme. Value type. UI thread.
#pragma once

#include <array>
#include <bitset>

#include <QColor>
#include <QString>

#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

namespace lockstep {

enum class BlockColoring : uint8_t { category, age, stack };

using ShownCategories = std::bitset<static_cast<size_t>(MemoryCategory::count)>;

class BlockColors {
  public:
    BlockColors(const Theme& theme, BlockColoring by);

    // Returns the color of a block that is live at the point in time `at`. O(1), because a frame needs
    // thousands of colors.
    const QColor& of(const MemorySource& source, MemoryMoment at, BlockLifeId life) const;
    // Returns the legend as rich text. present: categories on screen.
    QString legend(const ShownCategories& present) const;

  private:
    static constexpr size_t kHues = static_cast<size_t>(MemoryCategory::count);
    static constexpr size_t kShades = 3; // number of lightness steps that make neighbors distinguishable
    static constexpr size_t kAges = 5;

    BlockColoring m_by;
    std::array<std::array<QColor, kShades>, kHues> m_shades;
    // Colors by age: index 0 is for blocks allocated before the recording, the last index for the youngest
    // blocks.
    std::array<QColor, kAges> m_ages;
};

} // namespace lockstep
