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
    const std::array groupings{tr("Automatic"), tr("Nothing"), tr("Node"), tr("Run"), tr("Role"),
                               tr("Step"),      tr("Tool"),    tr("Rank"), tr("GPU"), tr("Communicator")};
    for (size_t i = 0; i < groupings.size(); ++i) {
        m_groupings << menu->addAction(groupings[i], this,
                                       [this, i] { emit groupingChosen(static_cast<LaneGrouping>(i)); });
    }
    menu->addSection(tr("Sort ranks by"));
    const std::array sorts{tr("Nothing: as grouped"),   tr("Rank, smallest first"),
                           tr("Busy time, most first"), tr("Lateness, latest first"),
                           tr("Memory, most first"),    tr("Hand: as dragged")};
    for (size_t i = 0; i < sorts.size(); ++i)
        m_sorts << menu->addAction(sorts[i], this, [this, i] { emit sortChosen(static_cast<LaneSort>(i)); });
    menu->addSeparator();
    QMenu* const heights = menu->addMenu(tr("Height of rows"));
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
    const std::array words{tr("unsorted"),     tr("by rank"),   tr("busy first"),
                           tr("latest first"), tr("by memory"), tr("by hand")};
    const QString how = words[static_cast<size_t>(sort)];
    setText(sort == LaneSort::none ? tr("Group: %1").arg(by) : tr("%1, %2").arg(by, how));
    setToolTip(tr("Lanes are grouped by: %1; ranks in a group: %2").arg(by, how));
    setAccessibleName(tr("Group and sort lanes"));
    setAccessibleDescription(toolTip());
    adjustSize();
}

} // namespace lockstep
