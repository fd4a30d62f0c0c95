// SPDX-License-Identifier: Apache-2.0
// layOut(): computes the content of one timeline frame. At most O(rows on screen * width), regardless of the
// size of the traces; rows are laid out in parallel. Pure.
#pragma once

#include "core/base/workers.h"
#include "core/scene/scene.h"
#include "core/search/hidden_names.h"
#include "core/timeline/axis_folds.h"
#include "core/timeline/display_list.h"
#include "core/timeline/label_font.h"
#include "core/timeline/lane_flow.h"
#include "core/timeline/selection.h"

namespace lockstep {

// A view of a scene.
struct FrameView {
    const LaneFlow* flow = nullptr;   // positions of the scene's lanes; never null during layout
    const LabelFont* font = nullptr;  // never null during layout
    TimeRange visible;                // aligned, not empty
    const AxisFolds* folds = nullptr; // nullptr: no gap is collapsed
    PixelSize size;                   // size of the lanes' area, including headers
    int headerWidth = 260;
    int scroll = 0; // scroll position: height in pixels of the scrolling lanes above the top edge
    Selection selection;
    std::optional<TraceTime> cursor;           // aligned time at the mouse; legends show the values at this
                                               // time
    std::shared_ptr<const HitRows> hits;       // search hits; nullptr: no search
    std::shared_ptr<const HiddenNames> hidden; // hidden names; nullptr: no name is hidden
    SliceList highlighted; // highlighted slices in a chain or path; all others are dimmed; nullptr: none
    Workers workers;       // workers for the layout

    const FrameMetrics& metrics() const { return flow->metrics; }
    PixelScale scale() const
    {
        const int width = std::max(1, size.width - headerWidth);
        return folds == nullptr ? PixelScale(visible, width) : folds->scale(visible, width);
    }
};

// Keeps no reference to its arguments. recycled: the previous frame's list; rows with the same content are
// reused, and the memory of other rows is recycled.
DisplayList layOut(const Scene& scene, const FrameView& view, DisplayList recycled = {});

// The vertical position of a slice's row in a frame: shared by layOut() and the code that scrolls to a slice.
struct SlicePosition {
    int y = 0; // top of the row, in the frame
    int height = 0;
    bool isPinned = false;
    bool isShown = true; // false: y is the position of a collapsed ancestor
};
// Returns nullopt if no lane shows the slice.
std::optional<SlicePosition> slicePosition(const Scene& scene, const FrameView& view, SliceRef slice);

} // namespace lockstep
