// SPDX-License-Identifier: Apache-2.0
// Painting of collapsed gaps of the time axis: a hatched band with zigzag edges and, in the lanes, the length
// of the gap. Raster and vector images look the same.
#pragma once

#include <vector>

#include <QPainter>
#include <QRect>

#include "core/timeline/pixel_scale.h"
#include "ui/style/theme.h"

namespace lockstep {

class TimelineState;

constexpr int kFoldWidth = 56; // width of a band in pixels at scale 1, if there is room

// Paints the bands of all collapsed gaps. `area` is the rectangle that the pixel scale spans.
void paintFolds(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                double scale);
// Paints the length of the gap as vertical text in each band that is wide enough.
void paintFoldLengths(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                      double scale);

// FoldChip is a label in the ruler above an expanded gap. A click on the chip collapses the gap.
struct FoldChip {
    QRect rect;
    TimeRange gap;
    QString text;
};
// Returns chips for the visible expanded gaps that are wide enough for a chip. `times` is the ruler without
// the part above the lane headers.
std::vector<FoldChip> foldChips(const TimelineState& state, const QRect& times);

} // namespace lockstep
