// SPDX-License-Identifier: Apache-2.0
// FlameLayout: the frames of a flame tree as boxes of whole pixels, root on top, for a view to draw and to
// hit-test as they stand. Made by layOutFlame(), a pure function; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/allocations.h"

namespace lockstep {

// Pixels [left, right) of a row.
struct FlameBox {
    uint32_t node = 0;   // of the tree; of siblings drawn as one, the first
    uint32_t merged = 0; // how many siblings this box stands for; 0: one frame, drawn as itself
    uint32_t row = 0;
    int32_t left = 0, right = 0;
    int64_t size_bytes = 0; // of all it stands for
    uint64_t blocks = 0;

    friend bool operator==(const FlameBox&, const FlameBox&) = default;
};

struct FlameLayoutRequest {
    uint32_t focus = 0; // this node fills the width, what it lies in too
    int32_t width = 1;
    int32_t narrowest = 3; // narrower siblings that touch are one box; nothing is drawn below them
    bool isByBlocks = false;
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

// nodes: as flameTree() orders them. A focus that is no node counts as the root. O(nodes).
FlameLayout layOutFlame(std::span<const FlameNode> nodes, const FlameLayoutRequest& request);

} // namespace lockstep
