// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_colors.h"

#include "ui/style/style_sheet.h"

namespace lockstep {

QColor memoryColor(const Theme& theme, MemoryCategory category)
{
    const auto toned = [&](SliceCategory slices) {
        return mixed(theme.category(slices), theme.window, theme.isDark ? 0.18 : 0.14);
    };
    switch (category) {
    case MemoryCategory::weights:
        return toned(SliceCategory::compute);
    case MemoryCategory::optimizer:
        return toned(SliceCategory::synchronization);
    case MemoryCategory::gradients:
        return toned(SliceCategory::cudaApi);
    case MemoryCategory::activations:
        return toned(SliceCategory::communication);
    case MemoryCategory::kvCache:
        return toned(SliceCategory::python);
    case MemoryCategory::communication:
        return toned(SliceCategory::copyToHost);
    case MemoryCategory::other:
        return toned(SliceCategory::memset);
    case MemoryCategory::noStack:
        return mixed(toned(SliceCategory::memset), theme.window, 0.35);
    case MemoryCategory::count:
        break;
    }
    return theme.isDark ? mixed(theme.window, theme.line, 0.9) : mixed(theme.window, theme.line, 0.75);
}

QColor memoryShade(const Theme& theme, MemoryCategory category, uint32_t shade)
{
    constexpr std::array<double, 3> kTowardsWindow{0.0, 0.12, 0.24};
    return mixed(memoryColor(theme, category), theme.window, kTowardsWindow[(shade ^ (shade >> 7)) % 3]);
}

QString legendEntry(const QColor& color, const QString& meaning)
{
    return QString("<span style='color:%1'>\u25A0</span> %2 &nbsp;&nbsp; ")
        .arg(color.name(), meaning.toHtmlEscaped());
}

} // namespace lockstep
