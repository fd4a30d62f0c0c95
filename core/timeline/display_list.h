// DisplayList: everything one frame of the timeline shows, as plain shapes in pixels. Made by layOut(),
// replayed by the painter, searched by hitTest(): what is drawn is what can be clicked. Coordinates are those
// of the lanes' area: y down from its top, x from the left edge of the lane headers; times lie at x >=
// headerWidth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/lanes/lod_row.h"
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

enum class RowShape : uint8_t {
    slices,
    busy /* height says occupancy */,
    counter,
    hatch /* data is missing here */
};

// One row of shapes.
struct DisplayRow {
    uint32_t lane = 0; // of the LaneTree
    int y = 0;
    int height = 0;
    RowShape shape = RowShape::slices;
    bool isPinned = false;
    TrackRef track; // invalid track on busy rows and counters
    uint16_t depth = 0;
    bool isSummary = false;           // stands for a collapsed lane
    std::vector<DenseColumn> columns; // ascending x
    std::vector<SliceBox> boxes;      // ascending, drawn over the columns
    std::vector<CounterColumn> samples;
    std::string text; // all labels

    std::string_view labelOf(const SliceBox& box) const
    {
        return std::string_view(text).substr(box.label, box.labelLength);
    }
};

// A lane as its header and background show it.
struct DisplayLane {
    uint32_t lane = 0;
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
    uint32_t rowsShown = 1;
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

struct DisplayList {
    PixelSize size;
    int headerWidth = 0;
    int pinnedHeight = 0;           // lanes above this y do not scroll and cover those that do
    int contentHeight = 0;          // of all lanes that scroll
    TimeRange visible;              // aligned
    std::vector<DisplayLane> lanes; // unpinned first, pinned after
    std::vector<DisplayRow> rows;   // unpinned first, pinned after
    std::vector<DisplayLink> links;
    std::vector<DisplayMark> marks;
    std::optional<TimeRange> selectedRange; // aligned
    std::string measure; // of a range over two reports: its length and what it is good to; else empty
    bool isMeasureUndecided = false;

    int timeWidth() const { return size.width - headerWidth; }
};

// The list as text, a line a shape, for golden tests: no ids that depend on load order but slice numbers.
std::string displayListText(const DisplayList& list);

} // namespace lockstep
