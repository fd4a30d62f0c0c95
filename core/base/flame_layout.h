// SPDX-License-Identifier: Apache-2.0
// FlameLayout: the frames of a flame graph as boxes in whole pixels, root at the top, ready for drawing and
// hit testing. layOutFlame() is a pure function; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep {

// A frame with the totals of its subtree: bytes and blocks, or time and slices.
struct FlameFrame {
    uint32_t parent = 0; // row; the root is row 0 and its own parent
    uint32_t depth = 0;  // 0 for the root
    int64_t size = 0;    // including children
    uint64_t count = 0;

    friend bool operator==(const FlameFrame&, const FlameFrame&) = default;
};

// A box covers the pixels [left, right) of a row.
struct FlameBox {
    uint32_t node = 0;   // row of the frame; for merged siblings, the row of the first one
    uint32_t merged = 0; // number of siblings merged into this box; 0 for a single frame
    uint32_t row = 0;
    int32_t left = 0, right = 0;
    int64_t size = 0; // total of the merged frames
    uint64_t count = 0;

    friend bool operator==(const FlameBox&, const FlameBox&) = default;
};

struct FlameLayoutRequest {
    uint32_t focus = 0; // row of the frame that, with its ancestors, fills the width
    int32_t width = 1;
    // Adjacent siblings narrower than this are merged into one box; nothing is drawn below them.
    int32_t narrowest = 3;
    bool isByCount = false;
};

struct FlameLayout {
    std::vector<FlameBox> boxes; // sorted by row, then by left edge; boxes of a row do not overlap
    uint32_t rows = 0;
    // Number of adjacent frames that are not drawn because together they are narrower than one pixel. Their
    // descendants are not counted.
    uint64_t unseen = 0;

    // Returns the index of the box at a pixel of a row, or nullopt. O(log boxes).
    std::optional<size_t> boxAt(uint32_t row, int32_t x) const;
    friend bool operator==(const FlameLayout&, const FlameLayout&) = default;
};

// Lays out `frames`. The root must come first, every frame after its parent, and siblings must be adjacent.
// An invalid focus is treated as the root. O(frames).
FlameLayout layOutFlame(std::span<const FlameFrame> frames, const FlameLayoutRequest& request);

} // namespace lockstep
