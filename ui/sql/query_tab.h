// SPDX-License-Identifier: Apache-2.0
// QueryTab: one tab of the SQL panel: a query in an editor, next to the answer of its last run as a table
// with a chart. The query runs off the UI thread. A tab owns its answer; deleting the tab releases the
// memory. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "core/analysis/table.h"
#include "core/scene/scene.h"
#include "ui/async/latest_job.h"
#include "ui/style/theme.h"

class QPushButton;
class QSplitter;

namespace lockstep {

class ChartedTable;
class ElidedLabel;
class QueryEditor;

class QueryTab : public QWidget {
    Q_OBJECT

  public:
    explicit QueryTab(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    QueryEditor* editor() const { return m_editor; }
    ChartedTable* answer() const { return m_answer; }
    QString query() const;
    // Replaces the query; the user can undo the change.
    void setQuery(const QString& query);

    void run(ScenePtr scene);
    void stop();
    bool isRunning() const { return m_job.isRunning(); }
    // Returns the answer; null if there is none. Shared, so that it can be used off the UI thread.
    const std::shared_ptr<const Table>& table() const { return m_table; }
    // Returns the query that produced the answer. The editor may contain a different query by now.
    const QString& answeredQuery() const { return m_answeredQuery; }
    // Returns true if there is an answer that was computed from data other than this scene's.
    bool isOutdated(const Scene& scene) const;
    // States that the open reports changed, and releases the scene from which the answer was computed.
    void outdate();

    void showHint(const QString& hint, bool isError = false);
    // Shows a short state below the answer.
    void showState(const QString& text);

    // Copies the splitter position of another tab.
    void adoptLayout(const QueryTab& other);

  signals:
    void runRequested();
    void copyRequested();  // requests the equivalent command line on the clipboard
    void lanesRequested(); // requests lanes with the rows of the answer
    void answered();       // the query finished or failed

  private:
    QWidget* makeQuery();
    QWidget* makeAnswer();
    void take(Result<std::shared_ptr<const Table>> outcome);
    void saveAnswer();
    void offerLanes();

    QueryEditor* m_editor = nullptr;
    ChartedTable* m_answer;
    QPushButton* m_stop = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_lanes = nullptr;
    ElidedLabel* m_state = nullptr;
    QSplitter* m_halves;
    ScenePtr m_scene;          // scene on which the query in the job runs; null if none runs
    uint64_t m_generation = 0; // Scene::dataGeneration of the answer
    QString m_runningQuery, m_answeredQuery;
    std::shared_ptr<const Table> m_table;
    QElapsedTimer m_since;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
