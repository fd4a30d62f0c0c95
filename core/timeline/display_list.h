// SPDX-License-Identifier: Apache-2.0
// DisplayList: everything one frame of the timeline shows, as plain shapes in pixels. Made by layOut(),
// replayed by the painter, searched by hitTest(): what is drawn is what can be clicked. Coordinates are those
// of the lanes' area: y down from its top, x from the left edge of the lane headers; times lie at x >=
// headerWidth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/memory/memory_lod.h"
#include "core/timeline/frame_metrics.h"
#include "core/timeline/pixel_scale.h"
#include "core/trace/link_table.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct PixelSize {
    int width = 0;
    int height = 0;

    friend bool operator==(PixelSize, PixelSize) = default;
};

// A hash of the middle lightness: the colour of the category itself.
inline constexpr uint32_t kPlainName = 2;
// Where more slices than this share a column, no one of them stands for it: its lightness says no name.
inline constexpr uint32_t kMostNamed = 8;

// One pixel column that holds at least one slice too narrow for a rectangle. 20 bytes.
struct DenseColumn {
    uint16_t x = 0;        // pixels from the first time pixel
    uint8_t occupancy = 0; // busy part of the pixel's time, 0..255; 0 only where nothing is
    SliceCategory category = SliceCategory::other; // most busy time
    uint32_t nameHash = kPlainName;                // of the longest slice
    uint32_t count = 0;                            // slices that overlap the column, wide ones included
    SliceId longest; // invalid on busy rows and in columns of more than kMostNamed slices; see sliceOf()

    friend bool operator==(const DenseColumn&, const DenseColumn&) = default;
};

// One slice at least kMinBoxWidth wide, clipped to the view.
struct SliceBox {
    int32_t begin = 0; // pixels from the first time pixel, [begin, end)
    int32_t end = 0;
    SliceId slice; // invalid on busy rows
    SliceCategory category = SliceCategory::other;
    bool isOpenEnd = false; // still running when the capture ended
    bool isHit = false;     // of the search
    bool isWashed = false;  // something is searched for, and not this
    uint32_t nameHash = 0;
    uint32_t ownColor = 0;    // 0xFFRRGGBB as the program chose it; 0 = none
    uint32_t label = 0;       // where its label begins in the row's text; already elided
    uint32_t labelLength = 0; // bytes; 0 = none

    friend bool operator==(const SliceBox&, const SliceBox&) = default;
};

inline constexpr int kMinBoxWidth = 2;

// A counter over one pixel: parts of the lane's scale, 0 (bottom) to 1 (top).
struct CounterColumn {
    uint16_t x = 0;
    float min = 0;
    float max = 0;
    double last = 0; // in the track's unit
};

inline constexpr uint16_t kNoOutline = 0xFFFF; // nothing says what is reserved

// A device's memory over one pixel, at the moment of it with the most active memory.
struct MemoryColumnShape {
    uint16_t x = 0; // pixels from the first time pixel
    // kNoOutline, or where the line of reserved memory lies: pixels from the row's top.
    uint16_t outline = 0;
    MemoryMoment moment = 0;
    // Upper edge of each group, pixels from the row's top; each lies on the one before it, the first on the
    // row's bottom.
    std::array<uint16_t, kMemoryGroups> tops{};

    bool hasSameShape(const MemoryColumnShape& other) const
    {
        return outline == other.outline && tops == other.tops;
    }
};

// An instant of the row that is marked by a line.
struct RowMark {
    uint16_t x = 0;
    bool isAlarm = false;
    SliceId slice;
};

// What a span is painted with; the theme knows the colours. 8 bytes.
struct Ink {
    enum class Kind : uint8_t {
        slice,   // a category, its lightness by the name's hash
        own,     // the colour that the program gave a slice, 0xFFRRGGBB
        busy,    // a category, as a busy row shows it
        value,   // a counter's values ...
        area,    // ... and what lies below them
        loss,    // hatched: data is missing here
        phase,   // a phase of an RL step, by its number
        bubble,  // hatched: devices stand idle while those of another role work
        memory,  // what blocks are for, by a category; its lightness by a stack's number
        outline, // what the allocator holds
        grid,    // a value of a scale
        moment,  // something that happened
        alarm,   // memory ran out
        hit      // what was searched for, under it
    };

    Kind kind = Kind::slice;
    SliceCategory category = SliceCategory::other;
    uint8_t part = 255; // of 255: how much of it, over what is behind
    uint32_t value = kPlainName;

    friend bool operator==(const Ink&, const Ink&) = default;
};

// One rectangle of a row. 16 bytes.
struct Span {
    uint16_t begin = 0; // pixels from the first time pixel, [begin, end)
    uint16_t end = 0;
    uint16_t top = 0; // pixels from the row's top, [top, bottom)
    uint16_t bottom = 0;
    Ink ink;

    friend bool operator==(const Span&, const Span&) = default;
};

// Adds a span; where it only goes on with the one at `last` that one becomes wider. last: a place in spans,
// or none (SIZE_MAX); set to where the span is.
void addMerged(std::vector<Span>& spans, const Span& span, size_t& last);

// One pixel of a map: a category, mixed from idle (0) to its full colour (255).
struct HeatCell {
    static constexpr SliceCategory kNoReport = SliceCategory::count; // hatched

    SliceCategory category = SliceCategory::other;
    uint8_t part = 0;

    friend bool operator==(const HeatCell&, const HeatCell&) = default;
};

// Lines of cells, one under the other, each as wide as the row and of a height of its own.
struct HeatMap {
    struct Line {
        int top = 0; // pixels from the row's top
        int bottom = 0;
        bool isOutlier = false;
    };

    int width = 0;
    std::vector<Line> lines;
    std::vector<HeatCell> cells; // width a line

    const HeatCell* lineAt(size_t line) const { return cells.data() + line * static_cast<size_t>(width); }
};

// A word within an area of a row.
struct RowLabel {
    int x = 0, y = 0;                    // its middle, from the first time pixel and the row's top
    Ink on;                              // what it stands on
    uint32_t label = 0, labelLength = 0; // in the row's text

    friend bool operator==(const RowLabel&, const RowLabel&) = default;
};

class HiddenNames;
class HitRows;
class LaneKind;
class RankMap;

// One row of shapes: what is drawn, as spans or a map, and what is met there.
struct DisplayRow {
    uint32_t lane = 0; // of the LaneTree
    int y = 0;
    int height = 0;
    const LaneKind* kind = nullptr; // who laid it out and answers for it; immortal
    bool isPinned = false;
    TrackRef track; // invalid track on busy rows and counters
    uint16_t depth = 0;
    bool isSummary = false;            // stands for a collapsed lane
    const RowSource* source = nullptr; // the first that it was filled from, in the scene's tree
    bool isFlat = false;               // every span is as high as the row
    std::vector<DenseColumn> columns;  // ascending x
    std::vector<SliceBox> boxes;       // ascending, over the columns
    bool isSearched = false;           // something is searched for: what is no hit is washed
    std::vector<uint16_t> hitColumns;  // ascending x of the columns that hold a hit
    std::vector<CounterColumn> samples;
    std::vector<MemoryColumnShape> memory;
    std::vector<Ink> inks;       // of the areas of memory
    std::vector<uint16_t> ticks; // lines of the scale below them, pixels from the row's top
    int width = 0;               // how far these lines go
    std::vector<RowMark> marks;  // ascending x
    std::vector<RowLabel> labels;
    std::vector<Span> spans; // in the order in which they are painted
    HeatMap heat;
    std::shared_ptr<const RankMap> map; // of a rank map's rows
    std::string text;                   // all labels

    std::string_view labelOf(const SliceBox& box) const
    {
        return std::string_view(text).substr(box.label, box.labelLength);
    }
};

// A word in a lane: of its header, or a choice that can be clicked.
struct LaneText {
    int x = 0, y = 0, width = 0, height = 0; // in the frame
    std::string text;
    bool isRight = false; // at the right edge of its width
    bool isMuted = true;
    bool isBold = false;
    bool isWarning = false;
    bool isChosen = false;               // filled with the accent
    int choice = -1;                     // what a click on it says to the lane's kind; -1: nothing
    std::optional<SliceCategory> swatch; // a square of this colour before it
    std::optional<Ink> ink;              // the same of an ink
    bool isChip = false;                 // on a ground of its own, over the times
};

// A bar in a lane's header.
struct LaneBar {
    int x = 0, y = 0, width = 0, height = 0; // in the frame
    bool isWarning = false;
};

// A lane as its header and background show it.
struct DisplayLane {
    uint32_t lane = 0;
    const LaneKind* kind = nullptr; // who answers for it; immortal
    int y = 0;
    int height = 0;
    int indent = 0; // pixels from the header's left edge to the triangle
    bool hasTriangle = false;
    bool isCollapsed = false;
    bool isPinned = false;
    bool isAlternate = false; // every other row of background
    bool isGroup = false;     // label in bold
    std::string label;        // elided at the end to what fits
    std::string value;        // muted, right aligned; may be empty
    bool isWarning = false;   // value says what is wrong
    bool isInArea = false;    // a selected area takes it
    bool isHitCount = false;  // value says how many hits it has
    uint32_t rowsShown = 1;
    int rowHeight = 0;           // of each; 0: the lane is as tall as its kind makes it
    std::vector<LaneText> texts; // besides label and value
    std::vector<LaneBar> bars;
};

// From a cause to its effect, between the vertical middles of their rows.
struct DisplayLink {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    LinkKind kind = LinkKind::launch;
    SliceRef cause, effect;
    bool isUndecided = false; // across clocks that cannot tell whether the cause came first
};

// A slice that the selection points out: itself or one it is linked with.
struct DisplayMark {
    int x = 0, y = 0, width = 0, height = 0;
    bool isSelected = false; // else linked
    SliceRef slice;
};

// A selected area, or the part of it whose lanes lie one under the other.
struct DisplayArea {
    int x = 0, y = 0, width = 0, height = 0; // in the frame; may go beyond it
    bool isPinned = false;
};

// A flag in the row of a process for something that went wrong below it, on a pole down to where.
struct DisplayFlag {
    int x = 0, top = 0, bottom = 0; // of the pole, in the frame
    int left = 0, width = 0;        // of the flag; 0: there is no room for it
    std::string text;
    bool isPinned = false;
    uint32_t lane = 0; // that it is of
    SliceRef slice;    // the instant it stands for
};

struct DisplayList {
    PixelSize size;
    FrameMetrics metrics;
    int headerWidth = 0;
    int pinnedHeight = 0;                 // lanes above this y do not scroll and cover those that do
    int contentHeight = 0;                // of all lanes that scroll
    TimeRange visible;                    // aligned
    PixelScale scale;                     // the same, with the gaps that are folded
    std::shared_ptr<const LaneTree> tree; // of the scene, whose lanes and sources it names
    uint64_t generation = 0;              // of the scene
    MemoryLook memoryLook = MemoryLook::category;
    std::shared_ptr<const HitRows> hits;       // of the search; null: nothing is searched for
    std::shared_ptr<const HiddenNames> hidden; // that rows do not show; null: none
    std::vector<DisplayLane> lanes;            // unpinned first, pinned after
    std::vector<DisplayRow> rows;              // unpinned first, pinned after
    std::vector<DisplayLink> links;
    std::vector<DisplayMark> marks;
    std::vector<DisplayFlag> flags;
    std::vector<DisplayArea> areas;
    bool isWashed = false;                  // what lies in no area steps back
    std::vector<DisplayMark> lit;           // by row, ascending x; bands of rows that scroll come first
    bool isLit = false;                     // what is not lit steps back
    std::optional<TimeRange> selectedRange; // aligned
    std::string measure; // of a range over two reports: its length and what it is good to; else empty
    bool isMeasureUndecided = false;

    int timeWidth() const { return size.width - headerWidth; }
};

// The rows of one band by number, in groups that have no line of pixels in common: several reports of one
// lane (its steps) lie on each other, and whoever draws several rows at once draws a group in its order.
std::vector<std::vector<uint32_t>> rowsApart(const DisplayList& list, bool pinned);

// The list as text, a line a shape, for golden tests: no ids that depend on load order but slice numbers.
std::string displayListText(const DisplayList& list);

} // namespace lockstep
