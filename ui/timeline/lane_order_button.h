// SPDX-License-Identifier: Apache-2.0
// LaneOrderButton shows how lanes are grouped and sorted. The button is above the lane headers; its menu
// chooses the grouping, the order and the row height. UI thread.
#pragma once

#include <QToolButton>

#include "core/lanes/lane_state.h"

namespace lockstep {

class LaneOrderButton : public QToolButton {
    Q_OBJECT

  public:
    explicit LaneOrderButton(QWidget* parent = nullptr);

    void showOrder(LaneGrouping grouping, LaneSort sort);
    void showRowHeight(int height); // pixels at scale 1

  signals:
    void groupingChosen(LaneGrouping grouping);
    void sortChosen(LaneSort sort);
    void rowHeightChosen(int height);

  private:
    QList<QAction*> m_groupings; // indexed by LaneGrouping
    QList<QAction*> m_sorts;     // indexed by LaneSort
    QList<QAction*> m_heights;   // indexed as kRowHeights
};

} // namespace lockstep
