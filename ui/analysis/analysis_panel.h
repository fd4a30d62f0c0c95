// SPDX-License-Identifier: Apache-2.0
// AnalysisPanel: every analysis of the program: pick one, say its arguments, and its table of what is seen,
// selected or everything is made off the UI thread; a row leads to the slice that stands for it. Says what
// the table was made from, and the command line that makes the same. UI thread.
#pragma once

#include <memory>

#include <QElapsedTimer>
#include <QTimer>

#include "core/analysis/analysis.h"
#include "ui/async/latest_job.h"
#include "ui/window/panel.h"

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

class AnalysisPanel : public Panel {
    Q_OBJECT

  public:
    // view outlives the panel.
    AnalysisPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~AnalysisPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_soon.isActive(); }

    AnalysisList* list() const { return m_list; }
    ArgumentForm* form() const { return m_form; }
    QComboBox* grouping() const { return m_by; }
    TableView* view() const;
    ChartedTable* pane() const { return m_pane; }
    // What the table on screen says; nullptr before the first one.
    const Table* table() const;
    // "lockstep --export ... FILES", quoted for a shell.
    QString commandLine() const;
    // What stands instead of a table without rows.
    QString hint() const;

  signals:
    // A new table is on screen, or none can be.
    void tableChanged();

  protected:
    void rebuild() override;

  private:
    QWidget* makeHead();
    QWidget* makeControls();
    QWidget* makeArguments();
    QWidget* makeFoot();
    void open(const Analysis& analysis);
    void compute();
    void stop();
    void take(Result<std::shared_ptr<const Table>> outcome);
    void showOutcome(const QString& hint);
    std::string what() const;

    ViewState& m_viewState;
    AnalysisList* m_list;
    QLabel* m_title = nullptr;
    QLabel* m_meaning = nullptr;
    ArgumentForm* m_form = nullptr;
    QWidget* m_arguments = nullptr; // what the form scrolls in
    QComboBox* m_by = nullptr;
    QPushButton* m_stop = nullptr;
    QLabel* m_taken = nullptr;
    QLabel* m_source = nullptr;
    QLineEdit* m_command = nullptr;
    ChartedTable* m_pane;
    ScenePtr m_askedScene; // what the table is made of, or the one that is being made
    Scope m_askedScope;
    QTimer m_soon;
    QElapsedTimer m_since;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
