// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_order_button.h"

#include <array>

#include <QMenu>

namespace lockstep {

LaneOrderButton::LaneOrderButton(QWidget* parent) : QToolButton(parent)
{
    setObjectName("laneOrder");
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setFocusPolicy(Qt::TabFocus);
    auto* const menu = new QMenu(this);
    menu->addSection(tr("Group lanes by"));
    const std::array groupings{tr("Automatic"), tr("None"), tr("Node"), tr("Run"), tr("Role"),
                               tr("Step"),      tr("Tool"), tr("Rank"), tr("GPU"), tr("Communicator")};
    for (size_t i = 0; i < groupings.size(); ++i) {
        m_groupings << menu->addAction(groupings[i], this,
                                       [this, i] { emit groupingChosen(static_cast<LaneGrouping>(i)); });
    }
    menu->addSection(tr("Sort ranks by"));
    const std::array sorts{tr("Unsorted"),
                           tr("Rank, lowest first"),
                           tr("Busy time, highest first"),
                           tr("Wait caused, highest first"),
                           tr("Memory, highest first"),
                           tr("Custom order")};
    for (size_t i = 0; i < sorts.size(); ++i)
        m_sorts << menu->addAction(sorts[i], this, [this, i] { emit sortChosen(static_cast<LaneSort>(i)); });
    menu->addSeparator();
    QMenu* const heights = menu->addMenu(tr("Row height"));
    const std::array words{tr("Compact"), tr("Normal"), tr("Tall")};
    for (size_t i = 0; i < words.size(); ++i) {
        m_heights << heights->addAction(words[i], this, [this, i] { emit rowHeightChosen(kRowHeights[i]); });
    }
    for (QAction* const action : m_groupings + m_sorts + m_heights)
        action->setCheckable(true);
    setMenu(menu);
    showOrder(LaneGrouping::automatic, LaneSort::none);
}

void LaneOrderButton::showRowHeight(int height)
{
    for (qsizetype i = 0; i < m_heights.size(); ++i)
        m_heights[i]->setChecked(kRowHeights[static_cast<size_t>(i)] == height);
}

void LaneOrderButton::showOrder(LaneGrouping grouping, LaneSort sort)
{
    for (qsizetype i = 0; i < m_groupings.size(); ++i)
        m_groupings[i]->setChecked(i == static_cast<qsizetype>(grouping));
    for (qsizetype i = 0; i < m_sorts.size(); ++i)
        m_sorts[i]->setChecked(i == static_cast<qsizetype>(sort));
    const QString by = m_groupings[static_cast<qsizetype>(grouping)]->text();
    const std::array words{tr("unsorted"),       tr("by rank"),   tr("by busy time"),
                           tr("by wait caused"), tr("by memory"), tr("custom order")};
    const QString how = words[static_cast<size_t>(sort)];
    setText(sort == LaneSort::none ? tr("Group: %1").arg(by) : tr("%1, %2").arg(by, how));
    setToolTip(tr("Lanes grouped by: %1. Ranks within a group: %2.").arg(by, how));
    setAccessibleName(tr("Group and sort lanes"));
    setAccessibleDescription(toolTip());
    adjustSize();
}

} // namespace lockstep
