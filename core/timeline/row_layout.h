// SPDX-License-Identifier: Apache-2.0
// Row layout: the shapes of one row of one lane. Pure; each call costs at most O(width log slices), whatever
// the row holds. Called by layOut(), from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

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

// Several rows of one width as one, in whole numbers: any order and any parts make the same.
class RowSum {
  public:
    explicit RowSum(int width) : m_pixels(static_cast<size_t>(width)) {}
    void add(const DisplayRow& row);
    void add(const RowSum& other);
    // Occupancies are averaged over the rows, the category is the one with most time.
    void appendAverage(DisplayRow& out) const;
    // Each pixel is as busy as in the busiest row: for captures of one thing.
    void appendUnion(DisplayRow& out) const;

  private:
    struct Pixel {
        uint32_t occupancy = 0;
        uint32_t count = 0;
        uint32_t most = 0; // of one row
        std::array<uint32_t, static_cast<size_t>(SliceCategory::count)> of = {};
    };
    void add(size_t x, uint32_t occupancy, uint32_t count, SliceCategory category);
    template<class Occupancy>
    void appendColumns(const Occupancy& occupancyOf, DisplayRow& out) const;

    std::vector<Pixel> m_pixels;
    uint32_t m_rows = 0;
};

// Values at the bottom and at the top of a counter's row.
struct CounterScale {
    double low = 0;
    double high = 0;
};
// Appends a column for each pixel where the counter is known.
void layOutCounter(CounterTrackId counter, CounterScale scale, const RowView& view, DisplayRow& out);

} // namespace lockstep
