// SPDX-License-Identifier: Apache-2.0
// AnalysisPanel lists every analysis of the program. Choosing one and setting its arguments computes its
// table off the UI thread for the visible range, the selected range or everything. Activating a row reveals
// its longest slice. The panel also shows the source of the table and the equivalent command line. UI thread.
#pragma once

#include <memory>

#include <QElapsedTimer>

#include "core/analysis/analysis.h"
#include "ui/async/latest_job.h"
#include "ui/window/computed_panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class AnalysisList;
class ArgumentForm;
class ChartedTable;
class TableView;
class ViewState;

class AnalysisPanel : public ComputedPanel<std::shared_ptr<const Table>> {
    Q_OBJECT

  public:
    // `view` must outlive the panel.
    AnalysisPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~AnalysisPanel() override;

    void setTheme(const Theme& theme) override;

    AnalysisList* list() const { return m_list; }
    ArgumentForm* form() const { return m_form; }
    QComboBox* grouping() const { return m_by; }
    TableView* view() const;
    ChartedTable* pane() const { return m_pane; }
    // Returns the table on screen, or nullptr if no table was computed yet.
    const Table* table() const;
    // Returns "lockstep --export ... FILES", quoted for a shell.
    QString commandLine() const;
    // Returns the message that is shown in place of the table if the table has no rows.
    QString hint() const;

  signals:
    // Emitted when a new table is on screen, or when no table can be computed.
    void tableChanged();

  protected:
    void compute() override;
    void take(Result<std::shared_ptr<const Table>> outcome) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showRow(size_t row);
    QWidget* makeHeader();
    QWidget* makeControls();
    QWidget* makeArguments();
    QWidget* makeFooter();
    void open(const Analysis& analysis);
    void stop();
    void showOutcome(const QString& hint);
    std::string what() const;

    ViewState& m_viewState;
    AnalysisList* m_list;
    QWidget* m_header = nullptr; // title and meaning; hidden in a low panel
    QLabel* m_title = nullptr;
    QLabel* m_meaning = nullptr;
    ArgumentForm* m_form = nullptr;
    QWidget* m_arguments = nullptr; // scroll area around the form
    QComboBox* m_by = nullptr;
    QPushButton* m_stop = nullptr;
    QLabel* m_status = nullptr;
    QLabel* m_source = nullptr;
    QLineEdit* m_command = nullptr;
    ChartedTable* m_pane;
    ScenePtr m_requestedScene; // scene of the running job, otherwise of the table on screen
    Scope m_requestedScope;
    QElapsedTimer m_since;
};

} // namespace lockstep
