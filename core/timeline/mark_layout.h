// SPDX-License-Identifier: Apache-2.0
// MarkLayout: the content of the marker row below the ruler at a given width: flags, ranges, numbers and
// labels, none of which overlap. Computed from markers placed on a scene; painted by the MarksBar, which also
// uses it for clicks. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/scene/mark_list.h"
#include "core/timeline/label_font.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

struct MarkOnAxis {
    const Mark* mark;  // string owned by a list that outlives the computation
    TimeRange aligned; // begin == end: a point in time
};

struct MarkShape {
    int begin = 0, end = 0; // in pixels from the first time pixel, clipped to the width; both are equal for a
                            // flag
    int areaBegin = 0, areaEnd = 0; // full extent in the row including the label, for clicks
    std::string number;             // "1", or "+37" for a cluster
    std::string text;               // "note 3 · long tail", elided; may be empty
    int textX = 0;
    bool isNote = false;
    bool isCut = false;           // the marker extends beyond the view
    std::vector<int64_t> numbers; // IDs of the markers that the shape represents, at least one
};

struct MarkLayout {
    std::vector<MarkShape> shapes; // shapes in ascending order, with disjoint extents

    // Returns the shape at a pixel, or nullptr.
    const MarkShape* at(int x) const;
};

// `marks` may be in any order; invisible ones are omitted. scale: number of device pixels per pixel at scale
// 1. Markers whose flags would touch are merged into one shape. O(marks log marks).
MarkLayout layOutMarks(std::vector<MarkOnAxis> marks, const PixelScale& pixels, double scale,
                       const LabelFont& font);

} // namespace lockstep
