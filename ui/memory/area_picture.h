// SPDX-License-Identifier: Apache-2.0
// AreaPicture: a device's memory over time as stacked areas, laid out and painted for a size: a worker makes
// it, the UI thread only copies its pixels and asks what lies where. Immutable once made.
#pragma once

#include <QImage>

#include "core/memory/memory_layout.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

namespace lockstep {

enum class AreaKind : uint8_t {
    active,    // blocks handed out, by block, stack or category
    allocated, // the same, and what private pools hold beside them
    segments,  // what the allocator took from the device
    unused     // the same, parted into what is active and what is free in the pool
};

struct AreaRequest {
    MemorySource source;
    AreaKind kind = AreaKind::active;
    MemoryGrouping by = MemoryGrouping::block;
    size_t mostAreas = 500;
    bool isByTime = true;       // else by entry; a file without times is by entry
    double from = 0, until = 1; // part of the history, of its time or its entries
    QSize size;                 // in device pixels
    const Theme* theme = nullptr;
};

struct AreaPicture {
    AreaRequest request;
    MemoryLayout layout;                 // a column a pixel
    std::vector<int64_t> envelope_bytes; // by column: what private pools hold beside active; empty: not asked
    int64_t scale_bytes = 1;             // the height of the picture
    QImage image;

    // Keys of areas are rows of the device's blocks.
    bool isOfBlocks() const
    {
        return request.by == MemoryGrouping::block && request.kind < AreaKind::segments;
    }
    bool isByTime() const { return request.isByTime && request.source.hasTimes(); }
    // The area at a pixel; empty above all of them.
    std::optional<size_t> areaAt(int x, int y) const;
    // Height of an amount above the lower edge, px.
    int heightOf(int64_t bytes) const;
    // What an area is, in one line; empty index: what is above all areas.
    QString textOf(std::optional<size_t> area, int column) const;
};

// canceled is the only error. O(pixels) beside the layout.
Result<std::shared_ptr<const AreaPicture>> makeAreaPicture(const AreaRequest& request,
                                                           const Progress& progress);

} // namespace lockstep
