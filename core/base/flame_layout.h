// SPDX-License-Identifier: Apache-2.0
// FlameLayout: the frames of a flame graph as boxes of whole pixels, root on top, for a view to draw and to
// hit-test as they stand. Made by layOutFlame(), a pure function; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep {

// A frame with all that goes through it, whatever is counted: bytes and blocks, time and slices.
struct FlameFrame {
    uint32_t parent = 0; // row; the root is row 0 and its own parent
    uint32_t depth = 0;  // of the root 0
    int64_t size = 0;    // with its children
    uint64_t count = 0;

    friend bool operator==(const FlameFrame&, const FlameFrame&) = default;
};

// Pixels [left, right) of a row.
struct FlameBox {
    uint32_t node = 0;   // of the tree; of siblings drawn as one, the first
    uint32_t merged = 0; // how many siblings this box stands for; 0: one frame, drawn as itself
    uint32_t row = 0;
    int32_t left = 0, right = 0;
    int64_t size = 0; // of all it stands for
    uint64_t count = 0;

    friend bool operator==(const FlameBox&, const FlameBox&) = default;
};

struct FlameLayoutRequest {
    uint32_t focus = 0; // this node fills the width, what it lies in too
    int32_t width = 1;
    int32_t narrowest = 3; // narrower siblings that touch are one box; nothing is drawn below them
    bool isByCount = false;
};

struct FlameLayout {
    std::vector<FlameBox> boxes; // by row, then from the left; boxes of a row do not overlap
    uint32_t rows = 0;
    uint64_t unseen =
        0; // frames next to each other that together have no pixel, counted without what is below

    // The box at a pixel of a row; empty where there is none. O(log boxes).
    std::optional<size_t> boxAt(uint32_t row, int32_t x) const;
    friend bool operator==(const FlameLayout&, const FlameLayout&) = default;
};

// frames: the root first, every frame after its parent, siblings next to each other. A focus that is no frame
// counts as the root. O(frames).
FlameLayout layOutFlame(std::span<const FlameFrame> frames, const FlameLayoutRequest& request);

} // namespace lockstep
