// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/block_colors.h"

#include <QCoreApplication>

#include "ui/memory/memory_colors.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr uint32_t kSpread = 2654435761u; // Knuth's multiplicative hash

QString colorsText(const char* text)
{
    return QCoreApplication::translate("lockstep::BlockColors", text);
}

// Returns 0 for blocks allocated before the recording, otherwise an age class. The classes are fractions of
// the recording: at least a tenth, at least a hundredth, at least a thousandth, or less. Ages are computed
// from times if the file has times, otherwise from entries.
size_t ageOf(const MemorySource& source, MemoryMoment at, BlockLifeId life)
{
    const DeviceReplay& device = source.device();
    const BlockLifeTable& blocks = device.blocks;
    if (blocks.isPreexisting(life.value)) return 0;
    double age = at - blocks.allocated[life.value], whole = std::max<uint32_t>(1, device.lastMoment());
    const auto allocated_ns = device.timeOf(source.snapshot(), blocks.allocated[life.value]);
    const auto at_ns = device.timeOf(source.snapshot(), at);
    if (allocated_ns && at_ns && source.hasTimes()) {
        age = static_cast<double>(*at_ns - *allocated_ns);
        whole = std::max(1.0, static_cast<double>(source.extent().length().ns));
    }
    const double share = age / whole;
    return share >= 0.1 ? 1 : share >= 0.01 ? 2 : share >= 0.001 ? 3 : 4;
}

} // namespace

BlockColors::BlockColors(const Theme& theme, BlockColoring by) : m_by(by)
{
    for (size_t hue = 0; hue < kHues; ++hue) {
        for (uint32_t shade = 0; shade < kShades; ++shade)
            m_shades[hue][shade] = memoryShade(theme, static_cast<MemoryCategory>(hue), shade);
    }
    const QColor young = memoryColor(theme, MemoryCategory::activations);
    constexpr std::array<double, kAges - 1> kTowardsWindow{0.72, 0.5, 0.28, 0.0};
    m_ages[0] = memoryColor(theme, MemoryCategory::noStack);
    for (size_t age = 1; age < kAges; ++age)
        m_ages[age] = mixed(young, theme.window, kTowardsWindow[age - 1]);
}

const QColor& BlockColors::of(const MemorySource& source, MemoryMoment at, BlockLifeId life) const
{
    const size_t shade = (life.value * kSpread >> 16) % kShades;
    if (m_by == BlockColoring::category)
        return m_shades[static_cast<size_t>(source.categoryOfLife(life))][shade];
    if (m_by == BlockColoring::age) return m_ages[ageOf(source, at, life)];
    const MemoryStackId stack = source.device().blocks.stack[life.value];
    if (!stack.isValid()) return m_shades[static_cast<size_t>(MemoryCategory::noStack)][0];
    const uint32_t hash = (stack.value + 1) * kSpread >> 8;
    // Number of hues for stacks. Excludes `other`, because its gray stands for an unknown category.
    constexpr auto kStackHues = static_cast<uint32_t>(MemoryCategory::other);
    return m_shades[hash % kStackHues][hash / kStackHues % kShades];
}

QString BlockColors::legend(const ShownCategories& present) const
{
    if (m_by == BlockColoring::category) {
        QString out;
        for (size_t i = 0; i < kHues; ++i)
            if (present.test(i))
                out += legendEntry(m_shades[i][0], categoryText(static_cast<MemoryCategory>(i)));
        return out;
    }
    if (m_by == BlockColoring::stack) {
        return colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors",
                                            "Blocks with the same stack have the same color. Several stacks "
                                            "may share a color."));
    }
    return legendEntry(m_ages[0], colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors",
                                                               "allocated before the recording"))) +
           legendEntry(m_ages[1], colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors",
                                                               "age at least 10 % of the recording"))) +
           legendEntry(m_ages[2], colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors", "1 %"))) +
           legendEntry(m_ages[3], colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors", "0.1 %"))) +
           legendEntry(m_ages[4], colorsText(QT_TRANSLATE_NOOP("lockstep::BlockColors", "younger")));
}

} // namespace lockstep
