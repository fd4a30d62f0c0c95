// SPDX-License-Identifier: Apache-2.0
// Colors of memory: one hue per category, blended with the window color so that areas are less prominent than
// slices, and three lightness steps to distinguish adjacent blocks. Pure functions of a theme; any thread.
#pragma once

#include "core/memory/memory_category.h"
#include "ui/style/theme.h"

namespace lockstep {

QColor memoryColor(const Theme& theme, MemoryCategory category);
// Returns a shade of the category's color. shade: any integer, for example a hash that distinguishes
// neighbors.
QColor memoryShade(const Theme& theme, MemoryCategory category, uint32_t shade);
// Returns a legend entry as rich text: a square in this color, followed by its meaning.
QString legendEntry(const QColor& color, const QString& meaning);

} // namespace lockstep
