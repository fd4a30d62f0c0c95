// SPDX-License-Identifier: Apache-2.0
// RoleMatrixView: the table of roles and ranks. Arrow keys move, Shift+arrow keys select, Space toggles the
// selected cells, and the ranks column accepts text such as "0, 8-15". Pressing the mouse button toggles a
// cell. Dragging sets every cell that the mouse crosses to the same state, as one undoable change. UI thread.
#pragma once

#include <QTableView>

#include "ui/style/theme.h"

namespace lockstep {

class RoleMatrixModel;

class RoleMatrixView : public QTableView {
    Q_OBJECT

  public:
    // `model` must outlive the view.
    explicit RoleMatrixView(RoleMatrixModel& model, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    void fitColumns();

    RoleMatrixModel& m_model;
    QModelIndex m_pressed;
    bool m_fillsOn = false;
};

} // namespace lockstep
