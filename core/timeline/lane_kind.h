// SPDX-License-Identifier: Apache-2.0
// LaneKind: how one kind of lane is shown: how tall it is, which shapes it fills a range of time with, what
// is met at a point of it and what is said there. layOut() places lanes and asks their kinds for the rest;
// the painter replays the shapes. A new kind is a pair of files in lane_kinds/ and one line in lane_kind.cpp.
// Kinds are immortal and have no state; all functions are pure.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/hit_test.h"
#include "core/timeline/layout.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/row_layout.h"
#include "core/timeline/scene_search.h"

namespace lockstep {

class LaneKind;

// Where the shapes of a row come from.
struct RowJob {
    size_t row = 0;    // of DisplayList::rows
    uint32_t lane = 0; // of the tree
    std::span<const RowSource> sources;
    uint16_t depth = 0; // of a track
    const RankMap* map = nullptr;
};

// One frame while it is laid out: what kinds look at, and where they put their rows.
struct LaneFrame {
    const Scene& scene;
    const FrameView& view;
    const FrameMetrics& metrics;
    ByReport<PixelScale> scales; // of the shown reports, on their clocks
    DisplayList list;
    std::vector<RowJob> jobs;

    int width() const { return list.timeWidth(); }
    const Lane& laneAt(uint32_t lane) const { return scene.tree->lane(lane); }
    RowView rowView(ReportKey report, const LabelFont* font = nullptr) const
    {
        return {scene.shown.report(report), *scene.lods[report], scales[report], view.metrics(), font};
    }
    bool reachesView(const RowSource& source) const
    {
        const TimeRange range = scales[source.report].range();
        return source.extent.begin < range.end && range.begin <= source.extent.end;
    }
};

// The part of the frame that a lane is placed in, and where in it.
struct LanePlace {
    const PlacedLane& lane;
    int y = 0;   // of the lane, in the frame
    int top = 0; // what lies above it or below `bottom` is not seen
    int bottom = 0;
    bool isPinned = false;
};

class LaneKind {
  public:
    virtual ~LaneKind() = default;

    virtual std::string_view name() const = 0; // in lists as text
    // Whether lanes of this look are of this kind; of several the first in laneKinds() takes it.
    virtual bool takes(const Lane& lane, bool isCollapsed) const = 0;
    // Pixels, with the line under each row.
    virtual int height(const PlacedLane& placed, const FrameMetrics& metrics) const;
    // Whether PlacedLane::rowHeight makes it taller.
    virtual bool hasRows() const { return true; }
    // Small and muted at the right of its header; asked when lanes are placed.
    virtual std::string value(const Scene& scene, uint32_t lane) const;
    // Adds the rows that can be seen to frame.list.rows, each with a job where it has shapes to fill.
    virtual void place(LaneFrame& frame, const LanePlace& place) const = 0;
    // Fills a row with what can be met. Called from several threads at once, each for a row of its own;
    // where isWide(), from one, and may use the workers of the view.
    virtual void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const;
    virtual bool isWide() const { return false; }
    // Whether its header tells what is under the cursor.
    virtual bool followsCursor() const { return false; }
    // The shapes that are painted, from what was filled; for rows with a job.
    virtual void draw(const FrameMetrics& metrics, DisplayRow& row) const;
    // What lies at a pixel of the row; false for nothing.
    virtual bool hit(const DisplayRow& row, int x, int y, Hit& hit) const;
    // What a card says of it, line by line; empty for nothing. hit.slice is resolved: see sliceOf().
    virtual std::vector<std::string> hover(const Scene& scene, const DisplayList& list, const Hit& hit) const;
    // What a click on a choice (LaneText::choice) or a map does to the lanes; false for nothing.
    virtual bool press(const Scene& scene, const Hit& hit, LaneState& state) const;
    // Whether a search finds the lane itself; slices are found by their tables. No, unless a kind says so.
    virtual bool isCalled(const Lane& lane, const NameMatcher& isMatch) const;
    // The row's shapes as text, a line each, for golden tests.
    virtual void write(std::ostream& out, const DisplayRow& row) const = 0;

  protected:
    LaneKind() = default;
    LaneKind(const LaneKind&) = delete;
    LaneKind& operator=(const LaneKind&) = delete;

    // A new row of the lane, empty.
    DisplayRow& addRow(LaneFrame& frame, const LanePlace& place, int y, int height) const;
};

// In the order in which they are asked.
std::span<const LaneKind* const> laneKinds();
const LaneKind& kindOf(const Lane& lane, bool isCollapsed);

} // namespace lockstep
