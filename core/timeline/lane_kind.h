// SPDX-License-Identifier: Apache-2.0
// LaneKind: displays one kind of lane: its height, the shapes for a time range, hit tests, and hover texts.
// layOut() places lanes and delegates the rest to their kinds; the painter draws the shapes. A new kind is a
// file in lane_kinds/ and one line in lane_kinds/registry.h. Kinds are stateless objects with static
// lifetime; all functions are pure.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/heat_map.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/layout.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/row_layout.h"
#include "core/timeline/scene_search.h"

namespace lockstep {

class LaneKind;

// Input for filling the shapes of a row.
struct RowJob {
    size_t row = 0;                     // index in DisplayList::rows
    const PlacedLane* placed = nullptr; // the lane of the row, in the flow of the view
    std::span<const RowSource> sources;
    uint16_t depth = 0; // depth in a track

    uint32_t lane() const { return placed->lane; }
};

// A problem in a row, which is also flagged in the row of the process; see layOutAlarmFlags().
struct RowAlarm {
    int x = 0; // in pixels from the first time pixel
    SliceId slice;
    std::string text;
};

// A frame during layout: what lane kinds take as input, and the list they add their rows to.
struct LaneFrame {
    const Scene& scene;
    const FrameView& view;
    const FrameMetrics& metrics;
    ByReport<PixelScale> scales; // one per visible report, on the report's clock
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

// The part of the frame that contains a lane, and the lane's position in it.
struct LanePlace {
    const PlacedLane& lane;
    int y = 0;   // y of the lane, in the frame
    int top = 0; // pixels above `top` or below `bottom` are invisible
    int bottom = 0;
    bool isPinned = false;
};

class LaneKind {
  public:
    virtual ~LaneKind() = default;

    virtual std::string_view name() const = 0; // used in display lists written as text
    // Returns whether this kind handles the given lane. The first match in laneKinds() is used.
    virtual bool handles(const Lane& lane, bool isCollapsed) const = 0;
    // Returns the height in pixels, including the line below each row.
    virtual int height(const PlacedLane& placed, const FrameMetrics& metrics) const;
    // Returns the height of the strip at the top of the lane that shows controls or a legend instead of
    // times.
    virtual int controlsHeight(const FrameMetrics& metrics) const;
    // Returns the number of rows; 0 is the same as 1.
    virtual uint32_t rowCount(const Lane& lane, bool isCollapsed) const;
    // Returns whether PlacedLane::rowHeight changes its height.
    virtual bool hasRows() const { return true; }
    // Returns whether its labels are drawn in the color of problems.
    virtual bool isProblem() const { return false; }
    // Returns the small muted text at the right of the lane's header; called when the lanes are placed.
    virtual std::string value(const Scene& scene, uint32_t lane) const;
    // Adds the visible rows to frame.list.rows, with a job for each row that has shapes to fill.
    virtual void place(LaneFrame& frame, const LanePlace& place) const = 0;
    // Fills a row for drawing and hit tests. Called from several threads at once, each with a different row.
    // If isWide() is true, it is called from one thread only and may use the workers of the view.
    virtual void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const;
    virtual bool isWide() const { return false; }
    // Returns whether the lane's header shows the value at the cursor position.
    virtual bool followsCursor() const { return false; }
    // Creates the painted shapes from the filled data; called for rows with a job.
    virtual void draw(const FrameMetrics& metrics, DisplayRow& row) const;
    // Returns the image of a filled row, which is painted below its spans; nullptr if it has none.
    virtual const HeatMap* heat(const DisplayRow& row) const;
    // Returns the problems in a filled row, by x.
    virtual std::vector<RowAlarm> alarms(const Scene& scene, const DisplayRow& row) const;
    // Returns the pixel after the last shape of a filled row; 0 if it has none.
    virtual int endOf(const DisplayRow& row) const;
    // Changes two captures on the same row so that they share no pixel. x: the last pixel of the earlier one,
    // in which the later one may begin.
    virtual void separate(int x, DisplayRow& earlier, DisplayRow& later) const;
    // Finds the shape at a pixel of the row; returns false if there is none.
    virtual bool hit(const DisplayRow& row, int x, int y, Hit& hit) const;
    // Adds outlines of slices that the row shows although they belong to another lane's track: the selected
    // one, and other slices, sorted.
    virtual void outline(const Scene& scene, const DisplayRow& row, SliceRef selected,
                         std::span<const SliceRef> others, DisplayList& list) const;
    // Returns the lines of the hover card, or an empty list for none. hit.slice is already resolved, see
    // sliceOf().
    virtual std::vector<std::string> hover(const Scene& scene, const DisplayList& list, const Hit& hit) const;
    // Applies a click on a choice (LaneText::choice) or on a map to the lane state; returns false if nothing
    // changes.
    virtual bool press(const Scene& scene, const Hit& hit, LaneState& state) const;
    // Returns the lane that press() opens or closes at a hit, which then gets the focus; kNoLane: none.
    virtual uint32_t targetOf(const Hit& hit) const;
    // Returns whether a search matches the lane itself; false by default. Slices are found through their
    // tables instead.
    virtual bool matchesName(const Lane& lane, const NameMatcher& isMatch) const;
    // Writes the row's shapes as text, one line each, for golden tests.
    virtual void write(std::ostream& out, const DisplayRow& row) const = 0;

  protected:
    LaneKind() = default;
    LaneKind(const LaneKind&) = delete;
    LaneKind& operator=(const LaneKind&) = delete;

    // Adds a new, empty row to the lane.
    DisplayRow& addRow(LaneFrame& frame, const LanePlace& place, int y, int height) const;
    // Adds the job that fills the row that was added last.
    static void addJob(LaneFrame& frame, const LanePlace& place, std::span<const RowSource> sources,
                       uint16_t depth = 0);
};

const LaneKind& kindOf(const Lane& lane, bool isCollapsed);

} // namespace lockstep
