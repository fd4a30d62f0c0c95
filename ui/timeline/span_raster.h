// SPDX-License-Identifier: Apache-2.0
// The span raster writes the spans and rank maps of a display list directly into the scan lines of an image,
// several rows in parallel. LanePainter draws text and slanted shapes afterwards.
#pragma once

#include <QImage>

#include "core/base/workers.h"
#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

// Draws either the pinned rows or the scrolling rows. `image` must have format RGB32 and the size of the
// list, and must already contain the background.
void rasterRows(QImage& image, const DisplayList& list, const SlicePalette& palette, bool pinned,
                const Workers& workers);

// Returns the rank map of one row as an image that is `heat.width` wide and as high as the row; pixels
// without a cell are transparent.
QImage heatImage(const HeatMap& heat, int height, const FrameMetrics& metrics, const SlicePalette& palette);

} // namespace lockstep
