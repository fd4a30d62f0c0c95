// SPDX-License-Identifier: Apache-2.0
// Row layout: the shapes of one row of one lane. Pure; each call costs at most O(width log slices), whatever
// the row holds. Called by layOut(), from several threads.
#pragma once

#include <span>

#include "core/lanes/report_lod.h"
#include "core/timeline/display_list.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/label_font.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

// What a row's slices are looked up in. scale is on the report's clock.
struct RowView {
    const Report& report;
    const ReportLod& lod;
    const PixelScale& scale;
    const FrameMetrics& metrics;
    const LabelFont* font = nullptr;              // nullptr: no labels
    HitRows::Row hits = {};                       // of the row; asked where something is searched for
    const std::vector<uint8_t>* hidden = nullptr; // by StringId; nullptr: no name is hidden in the row
};

// Appends boxes for slices of at least kMinBoxWidth pixels and columns for the rest.
// Every slice that overlaps the view is in a box or counted in each column that it overlaps, or both; those
// of hidden names in neither, and where there may be some the row is looked through slice by slice.
void layOutSlices(const LodRow& row, const RowView& view, DisplayRow& out);

// Several rows of one width as one: occupancies are averaged, the category is the one with most time.
void averageRows(std::span<const DisplayRow> rows, int width, DisplayRow& out);
// The same, but each pixel is as busy as the busiest row: for captures of one thing.
void uniteRows(std::span<const DisplayRow> rows, int width, DisplayRow& out);

// Values at the bottom and at the top of a counter's row.
struct CounterScale {
    double low = 0;
    double high = 0;
};
// Appends a column for each pixel where the counter is known.
void layOutCounter(CounterTrackId counter, CounterScale scale, const RowView& view, DisplayRow& out);

} // namespace lockstep
