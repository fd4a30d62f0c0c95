// SPDX-License-Identifier: Apache-2.0
// LaneOrderButton: says by what lanes are grouped and sorted, above their headers; its menu chooses both, how
// tall rows are, and sets of lanes that were stored. GUI thread.
#pragma once

#include <QToolButton>

#include "core/lanes/lane_state.h"

namespace lockstep {

class LaneOrderButton : public QToolButton {
    Q_OBJECT

  public:
    explicit LaneOrderButton(QWidget* parent = nullptr);

    void showOrder(LaneGrouping grouping, LaneSort sort);
    void showRowHeight(int height); // at scale 1

  signals:
    void groupingChosen(LaneGrouping grouping);
    void sortChosen(LaneSort sort);
    void rowHeightChosen(int height);

  private:
    QList<QAction*> m_groupings; // by LaneGrouping
    QList<QAction*> m_sorts;     // by LaneSort
    QList<QAction*> m_heights;   // by kRowHeights
};

} // namespace lockstep
