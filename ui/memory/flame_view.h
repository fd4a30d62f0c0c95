// SPDX-License-Identifier: Apache-2.0
// MemoryFlameView: the flame graph of live memory by stack: a FlameView whose frames are those of a memory
// snapshot, as large as the bytes or blocks they hold. UI thread.
#pragma once

#include "core/memory/allocations.h"
#include "ui/charts/flame_view.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

// All that is drawn; immutable once made.
struct FlamePicture : FlameChart {
    MemorySource source;
    MemoryMoment moment = 0;
    std::shared_ptr<const std::vector<FlameNode>> nodes;
    bool isSearched = false; // found_bytes mean something

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
