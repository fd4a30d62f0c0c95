// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/flame_view.h"

#include "core/base/text.h"
#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

MemoryFlameView::MemoryFlameView(QWidget* parent) : FlameView(parent)
{
    setAccessibleName(tr("Flame graph of live memory by stack"));
}

bool FlamePicture::isTreeOf(const FlameChart& other) const
{
    return static_cast<const FlamePicture&>(other).nodes == nodes;
}

QString FlamePicture::textOf(const FlameBox& box) const
{
    if (box.node == 0) {
        return MemoryFlameView::tr("all live blocks: %1")
            .arg(QString::fromStdString(groupedText(static_cast<int64_t>(box.count))));
    }
    return frameText(source, (*nodes)[box.node].frame);
}

QString FlamePicture::sizeText(const FlameBox& box) const
{
    return byteQText(box.size);
}

QColor FlamePicture::colorOf(const FlameBox& box, const Theme& theme) const
{
    const FlameNode& node = (*nodes)[box.node];
    const MemoryCategory category = box.merged > 0 ? MemoryCategory::count : node.category;
    const uint32_t shade = category == MemoryCategory::count ? 0 : node.frame.value;
    const QColor color = memoryShade(theme, category, shade);
    const bool isDimmed = isSearched && node.found_bytes == 0;
    return isDimmed ? mixed(color, theme.window, 0.72) : color;
}

} // namespace lockstep
