// SPDX-License-Identifier: Apache-2.0
// SqlPanel: read-only SQL over the shown reports: a query, the tables it can ask, and its answer, whose rows
// lead to their slices. A query runs off the UI thread, when it is told to, on the scene of that moment. UI
// thread.
#pragma once

#include <memory>

#include <QElapsedTimer>

#include "core/analysis/table.h"
#include "ui/async/latest_job.h"
#include "ui/window/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace lockstep {

class ChartedTable;
class QueryEditor;
class TableView;
class ViewState;

class SqlPanel : public Panel {
    Q_OBJECT

  public:
    // view outlives the panel.
    explicit SqlPanel(ViewState& view, QWidget* parent = nullptr);
    ~SqlPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning(); }

    QueryEditor* editor() const { return m_editor; }
    QTreeWidget* schema() const { return m_schema; }
    TableView* view() const;
    // The last answer; nullptr before the first, or when a query failed.
    const Table* table() const;
    // What stands instead of an answer, such as an error.
    QString hint() const;
    // "lockstep --sql '...' FILES", quoted for a shell.
    QString commandLine() const;
    void run();
    // Runs this query in place of the one in the editor.
    void ask(const QString& query);

  signals:
    // An answer is there, or none can be.
    void answered();

  protected:
    void rebuild() override;

  private:
    QWidget* makeSchema();
    QWidget* makeQuery();
    QWidget* makeAnswer();
    QWidget* makeFoot();
    void take(Result<std::shared_ptr<const Table>> outcome);
    void showHint(const QString& hint, bool isError);

    ViewState& m_viewState;
    QTreeWidget* m_schema = nullptr;
    QueryEditor* m_editor = nullptr;
    QComboBox* m_examples = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_stop = nullptr;
    QLabel* m_taken = nullptr;
    QLineEdit* m_command = nullptr;
    ChartedTable* m_answer;
    uint64_t m_generation = 0; // of the scene that was asked
    QElapsedTimer m_since;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
