// SPDX-License-Identifier: Apache-2.0
// AlignmentPanel: how the open reports were put on one time axis, clock by clock, with the residuals of the
// selected one beside; and what the person does about it: choose the mode, accept a placement, move it, lock
// it, reset it. Every change is a command on the given undo stack and reaches the window as choiceChanged().
// Stored stamps are never touched. UI thread.
#pragma once

#include <vector>

#include "ui/models/alignment_choice.h"
#include "ui/window/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QSplitter;
class QUndoStack;

namespace lockstep {

class AlignmentModel;
class ResidualChart;
class TableView;

class AlignmentPanel : public Panel {
    Q_OBJECT

  public:
    // undo outlives the panel.
    explicit AlignmentPanel(QUndoStack& undo, QWidget* parent = nullptr);

    // What the window holds, e.g. from an opened workspace; no command is made of it.
    void setChoice(const AlignmentChoice& choice);
    const AlignmentChoice& choice() const { return m_choice; }
    void setTheme(const Theme& theme) override;

    // Moves reports on the axis by this much more than they are moved already. False, and nothing moves: one
    // of them is locked or not open.
    bool moveBy(const std::vector<ReportKey>& keys, Duration by);
    // Equal training steps over each other, from the first that all reports have.
    void alignBySteps();
    bool isLocked(ReportKey key) const { return m_choice.locked.contains(key); }

    // Of the selected rows.
    void accept();
    void edit();
    void toggleLock();
    void reset();

    AlignmentModel* model() const { return m_model; }
    TableView* table() const { return m_view; }
    ResidualChart* chart() const { return m_chart; }
    QLabel* why() const { return m_why; }
    QComboBox* modeBox() const { return m_mode; }
    QSpinBox* stepBox() const { return m_step; }
    QLineEdit* markerField() const { return m_marker; }

  signals:
    void choiceChanged(const AlignmentChoice& choice);
    void reportActivated(ReportKey key);
    void timeActivated(TraceTime aligned);

  protected:
    // Lists all open reports, shown or not, as they are aligned now.
    void rebuild() override;

  private:
    class ChoiceCommand;

    QWidget* makeBar();
    QPushButton* addButton(QWidget* bar, const QString& label, const QString& tooltip);
    void choose(const AlignmentChoice& next, const QString& text);
    void apply(const AlignmentChoice& choice);
    void chooseMode();
    void showChoice();
    void showSelected();
    std::vector<ReportKey> selectedKeys() const;
    KeptClock placementOf(const ClockMap& map) const;

    QUndoStack& m_undo;
    AlignmentChoice m_choice;
    AlignmentModel* m_model;
    TableView* m_view;
    ResidualChart* m_chart;
    QSplitter* m_split = nullptr;
    QComboBox* m_mode = nullptr;
    QSpinBox* m_step = nullptr;
    QLineEdit* m_marker = nullptr;
    QLabel* m_basis = nullptr;
    QLabel* m_hint = nullptr;
    QLabel* m_why; // of the row in hand, whole: its column is narrow
    QPushButton* m_accept = nullptr;
    QPushButton* m_edit = nullptr;
    QPushButton* m_lock = nullptr;
    QPushButton* m_reset = nullptr;
};

} // namespace lockstep
