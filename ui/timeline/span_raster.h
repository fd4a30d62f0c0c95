// SPDX-License-Identifier: Apache-2.0
// Span raster: the spans and maps of a display list written straight into an image's scan lines, several rows
// at once. What has text or slanted lines is drawn afterwards by LanePainter.
#pragma once

#include <QImage>

#include "core/base/workers.h"
#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

// Draws the rows of one band: those pinned, or those that scroll. image: format RGB32, size of the list,
// already filled with the background.
void rasterRows(QImage& image, const DisplayList& list, const SlicePalette& palette, bool pinned,
                const Workers& workers);

// The map of one row as a picture of its own, `heat.width` by the row's height, clear where no cell is.
QImage heatImage(const DisplayRow& row, const FrameMetrics& metrics, const SlicePalette& palette);

} // namespace lockstep
