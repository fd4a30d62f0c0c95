// SPDX-License-Identifier: Apache-2.0
// MarkLayout: what the row of marks under the ruler shows at some width: flags, ranges, numbers and texts
// that never lie over each other. Made of marks that were placed on a scene; painted by the MarksBar, which
// finds what is clicked in it too. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/scene/mark_list.h"
#include "core/timeline/label_font.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

struct MarkOnAxis {
    const Mark* mark;  // in a list that outlives the layout's making
    TimeRange aligned; // begin == end: a time
};

struct MarkShape {
    int begin = 0, end = 0; // pixels from the first time pixel, clipped to the width; equal for a flag
    int areaBegin = 0, areaEnd = 0; // all that it takes in the row, its text too; a click there means it
    std::string number;             // "1", or "+37" where it stands for others too
    std::string text;               // "note 3 · long tail", elided; may be empty
    int textX = 0;
    bool isNote = false;
    bool isCut = false;           // begins or ends beyond what is seen
    std::vector<int64_t> numbers; // the marks that it stands for, at least one
};

struct MarkLayout {
    std::vector<MarkShape> shapes; // ascending, areas apart from each other

    // The shape at a pixel; nullptr where there is none.
    const MarkShape* at(int x) const;
};

// `marks` in any order; those out of sight are left out. scale: pixels of one at scale 1. Marks whose signs
// would touch become one shape. O(marks log marks).
MarkLayout layOutMarks(std::vector<MarkOnAxis> marks, const PixelScale& pixels, double scale,
                       const LabelFont& font);

} // namespace lockstep
