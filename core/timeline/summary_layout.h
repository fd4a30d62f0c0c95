// SPDX-License-Identifier: Apache-2.0
// Summary layout: the utilization of several lanes, pixel by pixel, combined into one row. Used for a
// collapsed lane, a rank in a map, and the minimap. Uses precomputed buckets if these are at most a pixel
// wide, and exact times otherwise. Pure.
#pragma once

#include <span>

#include "core/base/workers.h"
#include "core/lanes/activity.h"
#include "core/scene/scene.h"
#include "core/timeline/display_list.h"

namespace lockstep {

// Adds the activity of a busy source for each of parts.size() equal pixels of `visible` (aligned). O(pixels)
// if buckets are used, otherwise O(pixels log intervals).
void addActivity(const Scene& scene, const RowSource& source, TimeRange visible,
                 std::span<ActivityParts> parts);
// Same as addActivity() for a time range, but for an axis with collapsed gaps; `parts` has one entry per
// pixel.
void addActivity(const Scene& scene, const RowSource& source, const PixelScale& axis,
                 std::span<ActivityParts> parts);

// Adds the activity of one row of slices, at source.depth of its track, for each pixel of the axis; `parts`
// has one entry per pixel. O(pixels log slices).
void addSliceActivity(const Scene& scene, const RowSource& source, const PixelScale& axis,
                      std::span<ActivityParts> parts);

// Appends the columns of a collapsed lane. Sources with the same RowSource::row are captures of the same
// track and are merged; different rows are averaged. A single source also shows its boxes. Uses no workers.
void layOutSummary(const Scene& scene, const PixelScale& axis, const FrameMetrics& metrics,
                   std::span<const RowSource> sources, DisplayRow& row);

// Returns the utilization of the whole scene over an aligned scale, averaged over all processes.
DisplayRow layOutOverview(const Scene& scene, const PixelScale& axis, const Workers& workers);

} // namespace lockstep
