// SPDX-License-Identifier: Apache-2.0
// AlignmentPanel shows how the open reports are aligned on one time axis, clock by clock, with the residuals
// of the selected clock. The user can choose the mode and accept, move, lock or reset an alignment. Every
// change is an edit of the WorkDocument. Timestamps stored in the reports never change. UI thread.
#pragma once

#include <vector>

#include "ui/models/work_document.h"
#include "ui/window/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QSplitter;

namespace lockstep {

class AlignmentModel;
class ResidualChart;
class TableView;

class AlignmentPanel : public Panel {
    Q_OBJECT

  public:
    // `document` must outlive the panel.
    explicit AlignmentPanel(WorkDocument& document, QWidget* parent = nullptr);

    const AlignmentChoice& choice() const { return m_document.work().alignment; }
    void setTheme(const Theme& theme) override;

    // Adds `by` to the manual offsets of the reports. Returns false and changes nothing if one of the reports
    // is locked or not open.
    bool moveBy(const std::vector<ReportKey>& keys, Duration by);
    // Aligns the reports at the start of the training step that most of them contain.
    void alignBySteps();
    bool isLocked(ReportKey key) const { return choice().locked.contains(key); }

    // The following apply to the selected rows.
    void accept();
    void edit();
    void toggleLock();
    void reset();

    AlignmentModel* model() const { return m_model; }
    TableView* table() const { return m_view; }
    ResidualChart* chart() const { return m_chart; }
    QLabel* why() const { return m_why; }

  signals:
    void reportActivated(ReportKey key);
    void timeActivated(TraceTime aligned);

  protected:
    // Lists all open reports, shown or hidden, with their current alignment.
    void rebuild() override;

  private:
    QWidget* makeBar();
    QPushButton* addButton(QWidget* bar, const QString& label, const QString& tooltip);
    void choose(const AlignmentChoice& next, const QString& text);
    void chooseMode();
    void showChoice();
    void showSelected();
    std::vector<ReportKey> selectedKeys() const;
    AcceptedClock placementOf(const ClockMap& map) const;

    WorkDocument& m_document;
    AlignmentModel* m_model;
    TableView* m_view;
    ResidualChart* m_chart;
    QSplitter* m_split = nullptr;
    QComboBox* m_mode = nullptr;
    QSpinBox* m_step = nullptr;
    QLineEdit* m_marker = nullptr;
    QLabel* m_basis = nullptr;
    QLabel* m_hint = nullptr;
    QLabel* m_why; // full text of the current row's reason, because the column truncates it
    QPushButton* m_accept = nullptr;
    QPushButton* m_edit = nullptr;
    QPushButton* m_lock = nullptr;
    QPushButton* m_reset = nullptr;
};

} // namespace lockstep
