// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/frame_metrics.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

FrameMetrics FrameMetrics::at(double scale, int rowHeight, int mapHeight)
{
    FrameMetrics out;
    out.scale = scale;
    out.rowHeight = rowHeight;
    out.mapHeight = mapHeight;
    for (int* const length :
         {&out.line,       &out.indent,        &out.stripeLeft,    &out.stripe,       &out.stripeRoom,
          &out.triangle,   &out.triangleReach, &out.headerPadding, &out.labelPadding, &out.boxGap,
          &out.boxGapFrom, &out.hitSlack,      &out.mapHeight,     &out.mapControls,  &out.mapShare,
          &out.mapOutlier, &out.mapBar,        &out.memoryHeight,  &out.memoryFolded, &out.legendRow,
          &out.chip,       &out.flag,          &out.pole}) {
        *length = std::max(1, static_cast<int>(std::lround(*length * scale)));
    }
    out.rowHeight = out.scaledRow(rowHeight);
    return out;
}

int FrameMetrics::scaledRow(int atScaleOne) const
{
    return std::max(4, static_cast<int>(std::lround(atScaleOne * scale)));
}

} // namespace lockstep
