// SPDX-License-Identifier: Apache-2.0
// SqlPanel: read-only SQL over the visible reports: a query editor, a list of tables, and a result table
// whose rows link to their slices. Queries run only on request, off the UI thread, on the scene that is
// current when the query starts. UI thread.
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
    // `view` must outlive the panel.
    explicit SqlPanel(ViewState& view, QWidget* parent = nullptr);
    ~SqlPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning(); }

    QueryEditor* editor() const { return m_editor; }
    QTreeWidget* schema() const { return m_schema; }
    TableView* view() const;
    // Returns the result of the last query; nullptr if there was no query yet or if it failed.
    const Table* table() const;
    // Returns the message that is shown instead of a result, such as an error.
    QString hint() const;
    // Returns the equivalent command "lockstep --sql '...' FILES", quoted for a shell.
    QString commandLine() const;
    void run();
    // Replaces the query in the editor and runs it.
    void ask(const QString& query);

  signals:
    // Emitted when the query finishes or fails.
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
    uint64_t m_generation = 0; // generation of the scene on which the query ran
    QElapsedTimer m_since;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
