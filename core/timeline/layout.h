// SPDX-License-Identifier: Apache-2.0
// layOut(): decides everything that one frame of the timeline shows. Pure, at most O(rows on screen * width)
// whatever the traces hold; rows are laid out side by side.
#pragma once

#include "core/base/workers.h"
#include "core/scene/scene.h"
#include "core/timeline/axis_folds.h"
#include "core/timeline/display_list.h"
#include "core/timeline/hidden_names.h"
#include "core/timeline/label_font.h"
#include "core/timeline/lane_flow.h"
#include "core/timeline/selection.h"

namespace lockstep {

// The view onto a scene.
struct FrameView {
    const LaneFlow* flow = nullptr;   // where the scene's lanes stand; never null when laid out
    const LabelFont* font = nullptr;  // the same
    TimeRange visible;                // aligned, not empty
    const AxisFolds* folds = nullptr; // null: no gap is folded
    PixelSize size;                   // of the lanes' area, headers included
    int headerWidth = 260;
    int scroll = 0; // pixels of scrolling lanes above the top
    Selection selection;
    std::optional<TraceTime> cursor;           // aligned: where the mouse is; legends tell the values there
    std::shared_ptr<const HitRows> hits;       // what is searched for; null: nothing
    std::shared_ptr<const HiddenNames> hidden; // null: no name is
    SliceList lit;                             // of a chain or path, all else is washed; null: nothing is
    Workers workers;                           // who lays out

    const FrameMetrics& metrics() const { return flow->metrics; }
    PixelScale scale() const
    {
        const int width = std::max(1, size.width - headerWidth);
        return folds == nullptr ? PixelScale(visible, width) : folds->scale(visible, width);
    }
};

// Nothing is kept of what is given. recycled: the last frame's list; rows that show the same again are taken
// from it, of the others the memory.
DisplayList layOut(const Scene& scene, const FrameView& view, DisplayList recycled = {});

// Where the rows of slices lie in a frame: shared by layOut() and whoever scrolls to a slice.
struct SlicePlace {
    int y = 0; // of the row's top, in the frame
    int height = 0;
    bool isPinned = false;
    bool isShown = true; // false: y is that of a collapsed lane above it
};
// Empty when no lane shows the slice.
std::optional<SlicePlace> placeOfSlice(const Scene& scene, const FrameView& view, SliceRef slice);

} // namespace lockstep
