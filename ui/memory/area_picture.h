// SPDX-License-Identifier: Apache-2.0
// AreaPicture is a device's memory over time as stacked areas, laid out and painted for one size. A worker
// creates the image; the UI thread only copies pixels and looks up areas. Immutable once created.
#pragma once

#include <QImage>

#include "core/memory/memory_layout.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

namespace lockstep {

enum class AreaKind : uint8_t {
    active,    // allocated blocks, grouped by block, stack or category
    allocated, // same as active, plus memory held for private pools
    segments,  // memory that the allocator reserved from the device
    unused     // same as segments, split into active memory and free memory in the pool
};

struct AreaRequest {
    MemorySource source;
    AreaKind kind = AreaKind::active;
    MemoryGrouping by = MemoryGrouping::block;
    size_t maxAreas = 500;
    // If false, the x axis counts entries; files without times are always shown by entry.
    bool isByTime = true;
    double from = 0, until = 1; // visible part, as fractions of the history (of its time or of its entries)
    QSize size;                 // device pixels
    const Theme* theme = nullptr;
};

struct AreaPicture {
    AreaRequest request;
    MemoryLayout layout; // has one column per pixel
    // For each column, memory held for private pools in addition to active memory. Empty unless the request
    // is of kind `allocated`.
    std::vector<int64_t> envelope_bytes;
    int64_t scale_bytes = 1; // number of bytes that the image's height represents
    QImage image;

    // Returns true if each area is one block, so that the area keys are rows of the device's blocks.
    bool isOfBlocks() const
    {
        return request.by == MemoryGrouping::block && request.kind < AreaKind::segments;
    }
    bool isByTime() const { return request.isByTime && request.source.hasTimes(); }
    // Returns the area at a pixel, or nullopt above all areas.
    std::optional<size_t> areaAt(int x, int y) const;
    // Returns the height of `bytes` above the lower edge, in pixels.
    int heightOf(int64_t bytes) const;
    // Describes an area in one line; nullopt stands for the space above all areas.
    QString textOf(std::optional<size_t> area, int column) const;
};

// Lays out and paints an image. The only possible error is ErrorKind::canceled. Costs O(pixels) in addition
// to the layout.
Result<std::shared_ptr<const AreaPicture>> makeAreaPicture(const AreaRequest& request,
                                                           const Progress& progress);

} // namespace lockstep
