// SPDX-License-Identifier: Apache-2.0
// What memory is drawn in: a hue for each category, mixed towards the window so that areas are calmer than
// slices, and three steps of lightness for blocks side by side. Pure functions of a theme; any thread.
#pragma once

#include "core/memory/memory_category.h"
#include "ui/style/theme.h"

namespace lockstep {

QColor memoryColor(const Theme& theme, MemoryCategory category);
// shade: any number; neighbours of one category by their hashes.
QColor memoryShade(const Theme& theme, MemoryCategory category, uint32_t shade);
// A square of a colour and what it means, as rich text for a line of them.
QString legendEntry(const QColor& color, const QString& meaning);

} // namespace lockstep
