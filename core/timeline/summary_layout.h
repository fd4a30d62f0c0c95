// SPDX-License-Identifier: Apache-2.0
// Summary layout: how busy many things were, pixel by pixel, as one row: a folded lane, a rank of a map, the
// minimap. Drawn from fixed buckets as long as these are no wider than a pixel, else exactly. Pure.
#pragma once

#include <span>

#include "core/base/workers.h"
#include "core/lanes/activity.h"
#include "core/scene/scene.h"
#include "core/timeline/display_list.h"

namespace lockstep {

// Adds what a busy source did in each of parts.size() equal pixels of `visible` (aligned). O(pixels) from
// buckets, O(pixels log intervals) else.
void addActivity(const Scene& scene, const RowSource& source, TimeRange visible,
                 std::span<ActivityParts> parts);
// The same where gaps may be folded; a part for each pixel.
void addActivity(const Scene& scene, const RowSource& source, const PixelScale& axis,
                 std::span<ActivityParts> parts);

// Columns for what stands for a lane: sources of equal RowSource::row are captures of one thing and united,
// things are averaged. A single source shows its boxes too. Uses no workers.
void layOutSummary(const Scene& scene, const PixelScale& axis, const FrameMetrics& metrics,
                   std::span<const RowSource> sources, DisplayRow& row);

// How busy the whole scene was over an aligned scale: the average of all processes.
DisplayRow layOutOverview(const Scene& scene, const PixelScale& axis, const Workers& workers);

} // namespace lockstep
