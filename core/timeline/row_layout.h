// SPDX-License-Identifier: Apache-2.0
// Row layout: computes the shapes in one row of a lane. Each call costs at most O(width log slices),
// regardless of the content of the row. Called by layOut(), from several threads. Pure.
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

// Data for looking up the slices in a row. `scale` is on the report's clock.
struct RowView {
    const Report& report;
    const ReportLod& lod;
    const PixelScale& scale;
    const FrameMetrics& metrics;
    const LabelFont* font = nullptr;              // nullptr: no labels
    HitRows::Row hits = {};                       // search hits in the row; set only during a search
    const std::vector<uint8_t>* hidden = nullptr; // hidden names by StringId; nullptr: the row has no hidden
                                                  // names
};

// Appends boxes for slices that are at least kMinBoxWidth pixels wide and columns for the rest. Every slice
// that overlaps the view is in a box, or is counted in each column it overlaps, or both. Hidden slices are in
// neither boxes nor columns; rows that may contain hidden slices are scanned slice by slice.
void layOutSlices(const LodRow& row, const RowView& view, DisplayRow& out);

// Merges several rows of equal width into one, using integers. The result does not depend on the order or
// grouping of the rows.
class RowSum {
  public:
    explicit RowSum(int width) : m_pixels(static_cast<size_t>(width)) {}
    void add(const DisplayRow& row);
    void add(const RowSum& other);
    // Averages occupancies over the rows; the category with the most time is used.
    void appendAverage(DisplayRow& out) const;
    // Makes each pixel as busy as it is in the busiest row; for captures of the same source.
    void appendUnion(DisplayRow& out) const;

  private:
    struct Pixel {
        uint32_t occupancy = 0;
        uint32_t count = 0;
        uint32_t most = 0; // value of the pixel in a single row
        std::array<uint32_t, static_cast<size_t>(SliceCategory::count)> of = {};
    };
    void add(size_t x, uint32_t occupancy, uint32_t count, SliceCategory category);
    template<class Occupancy>
    void appendColumns(const Occupancy& occupancyOf, DisplayRow& out) const;

    std::vector<Pixel> m_pixels;
    uint32_t m_rows = 0;
};

} // namespace lockstep
