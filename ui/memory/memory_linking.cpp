// SPDX-License-Identifier: Apache-2.0
// Link between MemoryPanel and the timeline: selecting a GPU kernel or a block in the timeline moves the
// cursor of all memory views. Selecting a block in the panel selects the block in the timeline.
#include <QComboBox>

#include "core/timeline/memory_pointing.h"
#include "ui/memory/memory_panel.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

bool isOf(const MemorySource& source, const BlockRef& block)
{
    return block.isValid() && source.key == block.report && source.deviceRow == block.device &&
           block.life.value < source.device().blocks.size();
}

bool isOf(const MemorySource& source, const MomentAtStart& at)
{
    return source.key == at.place.source->report && source.deviceRow == at.place.source->memoryDevice;
}

} // namespace

int MemoryPanel::rowOfSelected() const
{
    const std::vector<MomentAtStart> starts = momentsAtStart(*scene(), m_viewState.slice());
    const auto isSelected = [&](const MemorySource& source) {
        return isOf(source, m_viewState.block()) ||
               std::ranges::any_of(starts, [&](const MomentAtStart& at) { return isOf(source, at); });
    };
    if (m_current >= 0 && isSelected((*m_sources)[static_cast<size_t>(m_current)])) return m_current;
    const auto found = std::ranges::find_if(*m_sources, isSelected);
    return found == m_sources->end() ? -1 : static_cast<int>(found - m_sources->begin());
}

void MemoryPanel::followSelection()
{
    if (m_viewState.block() == m_followedBlock && m_viewState.slice() == m_followedSlice) return;
    m_followedBlock = m_viewState.block();
    m_followedSlice = m_viewState.slice();
    const int row = rowOfSelected();
    // The change of the snapshot calls showSnapshot() and pointAtSelection().
    if (row >= 0 && row != m_current) return m_snapshots->setCurrentIndex(row);
    pointAtSelection();
}

void MemoryPanel::pointAtSelection()
{
    if (m_current < 0) return;
    const MemorySource& source = (*m_sources)[static_cast<size_t>(m_current)];
    m_pointed.life = {};
    m_pointed.uncertainty.clear();
    if (const BlockRef& block = m_viewState.block(); isOf(source, block)) {
        const BlockLifeTable& blocks = source.device().blocks;
        const MemoryMoment now = m_pointed.moment.value_or(source.device().peaks.active.moment);
        m_pointed.life = block.life;
        m_pointed.moment =
            blocks.isActiveAt(block.life.value, now) ? now : blocks.allocated[block.life.value];
    }
    for (const MomentAtStart& at : momentsAtStart(*scene(), m_viewState.slice())) {
        if (!isOf(source, at)) continue;
        m_pointed.moment = at.isKnown ? std::optional(at.moment) : std::nullopt;
        m_pointed.uncertainty = QString::fromStdString(at.uncertainty);
    }
    applyPointed();
}

void MemoryPanel::pointAt(MemoryMoment moment)
{
    if (m_current < 0) return;
    m_pointed.moment = moment;
    m_pointed.uncertainty.clear();
    applyPointed();
}

void MemoryPanel::choose(BlockLifeId life)
{
    if (m_current < 0) return;
    m_pointed.life = life;
    applyPointed();
    const MemorySource& source = (*m_sources)[static_cast<size_t>(m_current)];
    BlockRef block{source.key, static_cast<uint32_t>(source.deviceRow), life};
    if (!memoryPlaceOf(*scene(), block)) block = {}; // the block is not shown in any lane
    // Remembered, so that the change signal that this selection causes is ignored.
    m_followedBlock = block;
    m_followedSlice = block.isValid() ? SliceRef() : m_viewState.slice();
    m_viewState.setBlock(block);
}

void MemoryPanel::applyPointed()
{
    for (MemoryPane* const each : m_panes)
        each->setPointed(m_pointed);
    updateCard();
}

void MemoryPanel::showInTimeline(MemoryMoment moment)
{
    if (m_current < 0) return;
    const auto time = (*m_sources)[static_cast<size_t>(m_current)].alignedTime(moment);
    if (!time) return;
    const Duration half{m_viewState.visible().length().ns / 2};
    m_viewState.setVisible({*time - half, *time + half});
    m_viewState.setCursor(*time);
    emit timelineShown();
}

// Selects the block in the timeline and shows its lifetime with a margin on both sides.
void MemoryPanel::showLifeInTimeline(BlockLifeId life)
{
    if (m_current < 0) return;
    const MemorySource& source = (*m_sources)[static_cast<size_t>(m_current)];
    const BlockRef block{source.key, static_cast<uint32_t>(source.deviceRow), life};
    const auto place = memoryPlaceOf(*scene(), block);
    const auto range = place ? lifeOf(*place, life) : std::nullopt;
    if (!range) return;
    choose(life);
    const Duration margin{range->length().ns / 10 + 1};
    m_viewState.setVisible({range->begin - margin, range->end + margin});
    emit timelineShown();
}

} // namespace lockstep
