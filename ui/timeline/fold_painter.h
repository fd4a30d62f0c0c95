// SPDX-License-Identifier: Apache-2.0
// How a folded gap of the axis is drawn: a hatched band with zigzag edges, in the lanes with its length. The
// same in images and vectors.
#pragma once

#include <vector>

#include <QPainter>
#include <QRect>

#include "core/timeline/pixel_scale.h"
#include "ui/style/theme.h"

namespace lockstep {

class TimelineState;

constexpr int kFoldWidth = 56; // pixels at scale 1, where there is room

// area: where the scale's pixels are. Nothing is drawn where no gap is folded.
void paintFolds(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                double scale);
// The lengths, upright within each band that is wide enough.
void paintFoldLengths(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                      double scale);

// A word in the ruler over an open gap: a click on it folds the gap again.
struct FoldChip {
    QRect rect;
    TimeRange gap;
    QString text;
};
// times: the ruler's, right of the headers; of gaps in sight that are open and wide enough for a sign.
std::vector<FoldChip> foldChips(const TimelineState& state, const QRect& times);

} // namespace lockstep
