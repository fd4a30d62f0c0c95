// Row raster: the rows of a display list written straight into an image's scan lines, several rows at once.
// What has text or lines is drawn afterwards by LanePainter.
#pragma once

#include <QImage>

#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

// Draws the rows of one band: those pinned, or those that scroll. image: format RGB32, size of the list,
// backgrounds already filled. Uses all workers.
void rasterRows(QImage& image, const DisplayList& list, const SlicePalette& palette, const Theme& theme,
                bool pinned);

} // namespace lockstep
