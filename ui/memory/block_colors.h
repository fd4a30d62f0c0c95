// SPDX-License-Identifier: Apache-2.0
// BlockColors: what the blocks of the allocator's map are coloured by, category, age or stack, and the legend
// that says so. Made for a theme; a value; UI thread.
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

    // Of a block that lives at a moment of the source. O(1); thousands are asked for a frame.
    const QColor& of(const MemorySource& source, MemoryMoment at, BlockLifeId life) const;
    // Squares and words, as rich text. present: what there is to be seen.
    QString legend(const ShownCategories& present) const;

  private:
    static constexpr size_t kHues = static_cast<size_t>(MemoryCategory::count);
    static constexpr size_t kShades = 3; // of lightness, so that neighbours part
    static constexpr size_t kAges = 5;

    BlockColoring m_by;
    std::array<std::array<QColor, kShades>, kHues> m_shades;
    std::array<QColor, kAges> m_ages; // from those of before the history to the youngest
};

} // namespace lockstep
