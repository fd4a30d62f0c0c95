// SPDX-License-Identifier: Apache-2.0
// DisplayList: the content of one timeline frame as plain shapes in pixels. Computed by layOut(), drawn by
// the painter and searched by hitTest(), so that every drawn shape can be clicked. Coordinates are relative
// to the lanes' area: y points down from its top, and x starts at the left edge of the lane headers. Times
// are drawn at x >= headerWidth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lanes/kind_data.h"
#include "core/lanes/lane_state.h"
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

// The hash for medium lightness, which leaves the color of the category unchanged.
inline constexpr uint32_t kPlainName = 2;
// If more slices than this share a column, none of them represents it and its lightness is neutral.
inline constexpr uint32_t kMaxNamed = 8;

// A pixel column that contains at least one slice too narrow for a rectangle. 20 bytes.
struct DenseColumn {
    uint16_t x = 0;                                // in pixels from the first time pixel
    uint8_t occupancy = 0;                         // fraction of the pixel's time that is busy, from 0 to
                                                   // 255; 0 only if the pixel is empty
    SliceCategory category = SliceCategory::other; // category that is busy for the longest time
    uint32_t nameHash = kPlainName;                // name of the longest slice
    uint32_t count = 0;                            // number of slices that overlap the column, including wide
                                                   // ones
    SliceId longest; // invalid on busy rows and in columns with more than kMaxNamed slices; see sliceOf()

    friend bool operator==(const DenseColumn&, const DenseColumn&) = default;
};

// A slice at least kMinBoxWidth wide, clipped to the view.
struct SliceBox {
    int32_t begin = 0; // in pixels from the first time pixel, [begin, end)
    int32_t end = 0;
    SliceId slice; // invalid on busy rows
    SliceCategory category = SliceCategory::other;
    bool isOpenEnd = false; // the end of the slice was not recorded
    bool isHit = false;     // the slice is a search hit
    bool isDimmed = false;  // drawn dimmed, because a search is active and the slice is not a hit
    uint32_t nameHash = 0;
    uint32_t ownColor = 0;    // color that the program has set, 0xFFRRGGBB; 0: none
    uint32_t label = 0;       // offset of the label in the row's text; the label is already elided
    uint32_t labelLength = 0; // length of the label in bytes; 0 = no label
    uint32_t item = 0;        // for lanes with data of their own: index in the row's data

    friend bool operator==(const SliceBox&, const SliceBox&) = default;
};

inline constexpr int kMinBoxWidth = 2;

// The ink of a span. The theme maps inks to colors. 8 bytes.
struct Ink {
    enum class Kind : uint8_t {
        slice,      // color of a category; the hash of the name determines the lightness
        own,        // color that the program has set for a slice, 0xFFRRGGBB
        busy,       // color of a category, as in a busy row
        value,      // color for the values of a counter
        area,       // color for the area below the values of a counter
        loss,       // hatching for data loss
        phase,      // color of an RL phase, by the number of the phase
        samplePart, // color of a part of a sample, by the number of the SamplePart
        update,     // hatching for a weight update in a lane of samples
        bubble,     // hatching for times when devices are idle while the devices of another role are working
        memory,     // color for the purpose of the blocks (a category); the stack ID determines the lightness
        outline,    // memory reserved by the allocator
        grid,       // grid line
        moment,     // event mark
        alarm,      // out-of-memory mark
        hit         // underline of a search hit
    };

    Kind kind = Kind::slice;
    SliceCategory category = SliceCategory::other;
    uint8_t part = 255; // opacity over the background, 0..255
    uint32_t value = kPlainName;

    friend bool operator==(const Ink&, const Ink&) = default;
};

// A rectangle on a row. 16 bytes.
struct Span {
    uint16_t begin = 0; // in pixels from the first time pixel, [begin, end)
    uint16_t end = 0;
    uint16_t top = 0; // in pixels from the row's top, [top, bottom)
    uint16_t bottom = 0;
    Ink ink;

    friend bool operator==(const Span&, const Span&) = default;
};

// Adds a span, or widens the span at `last` if the new span continues it. last: an index in spans, or
// SIZE_MAX for none; set to the index of the span.
void addMerged(std::vector<Span>& spans, const Span& span, size_t& last);

// A label for an area in a row.
struct RowLabel {
    int x = 0, y = 0;                    // center of the label, relative to the first time pixel and the
                                         // row's top
    Ink on;                              // ink of its background
    uint32_t label = 0, labelLength = 0; // position of the label in the row's text

    friend bool operator==(const RowLabel&, const RowLabel&) = default;
};

class HiddenNames;
class HitRows;
class LaneKind;

// What a row shows: the painted shapes, and the data for hit tests.
struct RowContent {
    bool isFlat = false;   // every span has the height of the row
    bool hasAreas = false; // tall, with many narrow spans: faster to paint span by span than line by line
    std::vector<DenseColumn> columns; // ascending by x
    std::vector<SliceBox> boxes;      // ascending; drawn over the columns
    bool isSearched = false;          // a search is active: slices that are not hits are dimmed
    std::vector<uint16_t> hitColumns; // x of the columns that contain a hit, ascending
    std::vector<RowLabel> labels;
    std::vector<Span> spans; // in drawing order
    std::string text;        // concatenated text of all labels
    KindData data;           // set by the kind while it fills the row

    std::string_view labelOf(const SliceBox& box) const
    {
        return std::string_view(text).substr(box.label, box.labelLength);
    }
    // Removes everything except `data`, which the kind reuses, and keeps the allocated memory.
    void clear();
};

struct DisplayRow : RowContent {
    uint32_t lane = 0; // index in the LaneTree
    int y = 0;
    int height = 0;
    const LaneKind* kind = nullptr; // the kind that laid it out and handles its events; static lifetime
    bool isPinned = false;
    TrackRef track; // invalid on busy rows and counters
    uint16_t depth = 0;
    bool isSummary = false;            // represents a collapsed lane
    const RowSource* source = nullptr; // the first source that filled the row, in the scene's tree
    // Identifies the content of a row without sources, if a later frame may reuse it: rows with the same
    // kind, key, lane, depth and height show the same in frames of the same scene, view and look.
    std::shared_ptr<const void> contentKey;
};

// A text in a lane: part of its header, or a choice to click.
struct LaneText {
    enum class Tone : uint8_t {
        muted,
        plain,
        bold,
        warning,
        chosen // bold, on the accent color
    };
    enum class Align : uint8_t { left, center, right };

    int x = 0, y = 0, width = 0, height = 0; // position in the frame
    std::string text;
    Tone tone = Tone::muted;
    Align align = Align::left; // within the width
    bool isChip = false;       // drawn over the time area, on its own background
    std::optional<Ink> ink;    // draws a square in this ink before the text
    int choice = -1;           // number of the choice that a click passes to the lane's kind; -1: none
};

// A bar in a lane's header.
struct LaneBar {
    int x = 0, y = 0, width = 0, height = 0; // position in the frame
    bool isWarning = false;
};

// The header and background of a lane.
struct DisplayLane {
    uint32_t lane = 0;
    const LaneKind* kind = nullptr; // the kind that handles its events; static lifetime
    int y = 0;
    int height = 0;
    int indent = 0; // in pixels from the header's left edge to the triangle
    bool hasTriangle = false;
    bool isCollapsed = false;
    bool isPinned = false;
    bool isAlternate = false; // has the alternate background, which every other lane has
    bool isGroup = false;     // the label is bold
    std::string label;        // elided at the end to fit
    std::string value;        // muted and right-aligned; may be empty
    bool isWarning = false;   // the value is a warning
    bool isInArea = false;    // the lane belongs to an area selection
    bool isHitCount = false;  // the value is the number of search hits
    uint32_t rowsShown = 1;
    int rowHeight = 0;           // height of each row; 0: the lane kind defines the height
    std::vector<LaneText> texts; // texts in addition to label and value
    std::vector<LaneBar> bars;
};

// A link from a cause to its effect, drawn between the vertical centers of their rows.
struct DisplayLink {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    LinkKind kind = LinkKind::launch;
    SliceRef cause, effect;
    bool isUndecided = false; // the two clocks are not accurate enough to show whether the cause came first
};

// A slice that is outlined because it is selected, or linked to the selected slice.
struct DisplayMark {
    int x = 0, y = 0, width = 0, height = 0;
    bool isSelected = false; // false: it is linked to the selected slice
    SliceRef slice;
    bool hasHalo = false; // a second line in the color of the lane makes it visible on every color
};

// An area selection, or the part of it that covers adjacent lanes.
struct DisplayArea {
    int x = 0, y = 0, width = 0, height = 0; // in the frame; may extend beyond it
    bool isPinned = false;
};

// A flag in the row of a process for a problem in a lane below it. A pole connects the flag to that lane.
struct DisplayFlag {
    int x = 0, top = 0, bottom = 0; // position of the pole, in the frame
    int left = 0, width = 0;        // position of the flag; 0: no room
    std::string text;
    bool isPinned = false;
    uint32_t lane = 0; // lane with the problem
    SliceRef slice;    // the instant that represents the problem
};

struct DisplayList {
    PixelSize size;
    FrameMetrics metrics;
    int headerWidth = 0;
    int pinnedHeight = 0;                 // lanes above this y do not scroll, and cover those that do
    int contentHeight = 0;                // total height of all lanes that scroll
    TimeRange visible;                    // aligned
    PixelScale scale;                     // the visible range with collapsed gaps
    std::shared_ptr<const LaneTree> tree; // tree of the scene; owns the lanes and sources referred to here
    uint64_t generation = 0;              // generation of the scene
    MemoryLook memoryLook = MemoryLook::category;
    std::shared_ptr<const HitRows> hits;       // search hits; nullptr: no search
    std::shared_ptr<const HiddenNames> hidden; // hidden names; nullptr: none
    std::vector<DisplayLane> lanes;            // unpinned first, then pinned
    std::vector<DisplayRow> rows;              // unpinned first, then pinned
    std::vector<DisplayLink> links;
    std::vector<DisplayMark> marks;
    std::vector<DisplayFlag> flags;
    std::vector<DisplayArea> areas;
    bool isDimmed = false;                  // everything outside the area selections is dimmed
    std::vector<DisplayMark> highlighted;   // grouped by row and sorted by x; those in scrolling rows come
                                            // first
    bool isHighlighted = false;             // everything that is not highlighted is dimmed
    std::optional<TimeRange> selectedRange; // aligned
    std::string measure; // length and error of the range if it lies between two reports; otherwise empty
    bool isMeasureUndecided = false;

    int timeWidth() const { return size.width - headerWidth; }
};

// Returns the indices of the rows in one band, in groups that share no line of pixels. If a lane shows
// several reports (e.g. one per step), their rows overlap. Code that draws rows in parallel must therefore
// draw the rows of each group in order.
std::vector<std::vector<uint32_t>> disjointRowGroups(const DisplayList& list, bool pinned);

// Writes the list as text, one line per shape, for golden tests. Contains row numbers of slices instead of
// their IDs, because IDs depend on the load order.
std::string displayListText(const DisplayList& list);

} // namespace lockstep
