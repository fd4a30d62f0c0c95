// SPDX-License-Identifier: Apache-2.0
// MemoryFlameView is a FlameView of live memory: the frames come from a memory snapshot, and their width
// represents bytes or blocks. UI thread.
#pragma once

#include "core/memory/allocations.h"
#include "ui/charts/flame_view.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

// FlamePicture is the content of the view; immutable once created.
struct FlamePicture : FlameChart {
    MemorySource source;
    MemoryMoment moment = 0;
    std::shared_ptr<const std::vector<FlameNode>> nodes;
    bool isSearched = false; // if true, found_bytes is valid

    size_t frameCount() const override { return nodes->size(); }
    uint32_t parentOf(uint32_t node) const override { return (*nodes)[node].parent; }
    uint32_t depthOf(uint32_t node) const override { return (*nodes)[node].depth; }
    bool isTreeOf(const FlameChart& other) const override;
    QString textOf(const FlameBox& box) const override;
    QString sizeText(const FlameBox& box) const override;
    QColor colorOf(const FlameBox& box, const Theme& theme) const override;
};

class MemoryFlameView : public FlameView {
    Q_OBJECT

  public:
    explicit MemoryFlameView(QWidget* parent = nullptr);

    void setPicture(std::shared_ptr<const FlamePicture> picture) { setChart(std::move(picture)); }
    const FlamePicture* picture() const { return static_cast<const FlamePicture*>(chart()); }
};

} // namespace lockstep
