// SPDX-License-Identifier: Apache-2.0
// RoleMatrixView: the sheet of roles and ranks. Arrows move, Shift+arrows select, Space switches what is
// selected, typing in the ranks column writes "0, 8-15"; a press switches a cell and a drag gives that state
// to every cell it covers, as one change. UI thread.
#pragma once

#include <QTableView>

#include "ui/style/theme.h"

namespace lockstep {

class RoleMatrixModel;

class RoleMatrixView : public QTableView {
    Q_OBJECT

  public:
    // model outlives the view.
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
