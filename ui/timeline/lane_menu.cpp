// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_menu.h"

#include <array>

#include "core/lanes/memory_lanes.h"
#include "core/lanes/sample_lanes.h"
#include "core/timeline/lane_kind.h"
#include "ui/timeline/lane_tool.h"

namespace lockstep {

LaneMenu::LaneMenu(TimelineContext& context, LaneTool& lanes, uint32_t lane)
    : QMenu(&context.owner), m_lanes(lanes), m_state(context.state)
{
    setAttribute(Qt::WA_DeleteOnClose);
    const Lane& of = m_state.tree().lane(lane);
    const auto edit = [&now = m_state, key = of.key](const auto& what) {
        return [&now, key, what](LaneState& state) {
            const uint32_t at = now.tree().find(key);
            if (at != kNoLane) what(state, now.tree(), at);
        };
    };
    using Tree = const LaneTree&;
    add(*this, tr("Hide lane"),
        edit([](LaneState& state, Tree tree, uint32_t at) { state.hide(tree.lane(at), true); }));
    add(*this, tr("Show only this lane"),
        edit([](LaneState& state, Tree tree, uint32_t at) { state.hideOthers(tree, at); }));
    const bool isPinned = lanes.isPinned(lane);
    add(*this, isPinned ? tr("Unpin lane") : tr("Pin lane"),
        edit([isPinned](LaneState& state, Tree tree, uint32_t at) { state.pin(tree, at, !isPinned); }));
    addRowHeights(lane);
    if (of.hasChildren) {
        addSeparator();
        add(*this, tr("Expand all below"),
            edit([](LaneState& state, Tree tree, uint32_t at) { state.foldAllUnder(tree, at, false); }));
        add(*this, tr("Collapse all below"),
            edit([](LaneState& state, Tree tree, uint32_t at) { state.foldAllUnder(tree, at, true); }));
    }
    if (of.isRankMap()) addMapChoices();
    if (of.data.is<MemoryLaneData>()) addMemoryChoices();
    if (of.data.is<SampleLaneData>()) addSampleChoices();
    addHiddenLanes();
    emit lanes.menuOpening(of.key, *this);
}

QAction* LaneMenu::add(QMenu& menu, const QString& text, Edit edit)
{
    return menu.addAction(text, &m_lanes,
                          [&lanes = m_lanes, edit = std::move(edit)] { lanes.editLanes(edit); });
}

void LaneMenu::addChoice(QMenu& menu, const QString& text, bool isChosen, Edit edit)
{
    QAction* const action = add(menu, text, std::move(edit));
    action->setCheckable(true);
    action->setChecked(isChosen);
}

void LaneMenu::addRowHeights(uint32_t lane)
{
    bool isPinned = false;
    const PlacedLane* const placed = m_state.flow().placeOf(m_state.tree(), lane, &isPinned);
    if (placed == nullptr || placed->lane != lane || !placed->kind->hasRows()) return;
    QMenu* const heights = addMenu(tr("Row height"));
    const std::array words{tr("Compact"), tr("Normal"), tr("Tall")};
    const std::string key = m_state.tree().lane(lane).key;
    const int current = m_state.laneState().rowHeightOf(m_state.tree().lane(lane));
    for (size_t i = 0; i < kRowHeights.size(); ++i)
        addChoice(*heights, words[i], current == kRowHeights[i],
                  [&now = m_state, key, height = kRowHeights[i]](LaneState& state) {
                      const uint32_t at = now.tree().find(key);
                      if (at != kNoLane) state.setRowHeight(now.tree().lane(at), height);
                  });
    QAction* const usual =
        add(*heights, tr("Same as all lanes"), [key](LaneState& state) { state.heights.erase(key); });
    usual->setEnabled(m_state.laneState().heights.contains(key));
}

void LaneMenu::addMemoryChoices()
{
    addSeparator();
    for (const auto& [look, text] : {std::pair(MemoryLook::category, tr("Group memory by category")),
                                     std::pair(MemoryLook::stack, tr("Group memory by largest stacks"))})
        addChoice(*this, text, m_state.laneState().memoryLook == look,
                  [chosen = look](LaneState& state) { state.memoryLook = chosen; });
}

void LaneMenu::addSampleChoices()
{
    const auto addAll = [&](const QString& title, const auto& names, auto SampleLaneChoice::*part) {
        QMenu* const choices = addMenu(title);
        using Part = std::remove_reference_t<decltype(SampleLaneChoice().*part)>;
        for (size_t i = 0; i < names.size(); ++i)
            addChoice(*choices, names[i], m_state.laneState().samples.*part == static_cast<Part>(i),
                      [part, i](LaneState& state) { state.samples.*part = static_cast<Part>(i); });
    };
    addSeparator();
    addAll(tr("Sort samples by"),
           std::array{tr("End"), tr("Start"), tr("Length"), tr("Wait: queue and unrecorded time")},
           &SampleLaneChoice::order);
    addAll(tr("Group samples by"),
           std::array{tr("Step, otherwise weight version"), tr("Step"), tr("Weight version"), tr("Prompt"),
                      tr("Replica"), tr("Outcome")},
           &SampleLaneChoice::grouping);
}

// Offers the choices of the chips above a rank map to keyboard users.
void LaneMenu::addMapChoices()
{
    const auto addAll = [&](const QString& title, const auto& names, auto RankMapChoice::*part) {
        QMenu* const choices = addMenu(title);
        using Part = std::remove_reference_t<decltype(RankMapChoice().*part)>;
        for (size_t i = 0; i < names.size(); ++i)
            addChoice(*choices, QString::fromUtf8(names[i].data(), static_cast<qsizetype>(names[i].size())),
                      m_state.laneState().rankMap.*part == static_cast<Part>(i),
                      [part, i](LaneState& state) { state.rankMap.*part = static_cast<Part>(i); });
    };
    addSeparator();
    addAll(tr("Sort ranks by"), kRankOrderNames, &RankMapChoice::order);
    addAll(tr("Color ranks by"), kRankColorNames, &RankMapChoice::color);
}

void LaneMenu::addHiddenLanes()
{
    QMenu* hidden = nullptr;
    for (uint32_t i = 0; i < m_state.tree().size(); ++i) {
        if (!m_state.laneState().isHidden(m_state.tree().lane(i))) continue;
        if (hidden == nullptr) {
            addSeparator();
            hidden = addMenu(tr("Show hidden lanes"));
            add(*hidden, tr("All"), [](LaneState& state) { state.hidden.clear(); });
            hidden->addSeparator();
        }
        add(*hidden, QString::fromStdString(m_state.tree().pathOf(i)),
            [key = m_state.tree().lane(i).key](LaneState& state) { state.hidden.erase(key); });
    }
}

} // namespace lockstep
