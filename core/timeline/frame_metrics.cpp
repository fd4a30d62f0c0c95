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
         {&out.rowHeight,  &out.line,       &out.indent,        &out.stripeLeft,    &out.stripe,
          &out.stripeRoom, &out.triangle,   &out.triangleReach, &out.headerPadding, &out.labelPadding,
          &out.boxGap,     &out.boxGapFrom, &out.hitSlack,      &out.mapHeight,     &out.mapControls,
          &out.mapShare,   &out.mapOutlier, &out.mapBar,        &out.memoryHeight,  &out.memoryFolded,
          &out.legendRow,  &out.chip,       &out.flag,          &out.pole}) {
        *length = std::max(1, static_cast<int>(std::lround(*length * scale)));
    }
    out.rowHeight = std::max(4, out.rowHeight);
    return out;
}

} // namespace lockstep
