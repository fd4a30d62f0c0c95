// SPDX-License-Identifier: Apache-2.0
// SqlPanel: read-only SQL over the visible reports: a list of tables, and tabs with a query and its answer
// each, whose rows link to their slices. Menus offer ready queries, saved queries and the history. Queries
// run only on request, on the scene that is current when the query starts. UI thread.
#pragma once

#include <memory>

#include "core/sql/stored_queries.h"
#include "ui/window/panel.h"

class QMenu;
class QStackedWidget;
class QTabBar;
class QToolButton;
class QTreeWidget;

namespace lockstep {

class QueryEditor;
class QueryTab;
class Table;
class TableView;
class ViewState;

class SqlPanel : public Panel {
    Q_OBJECT

  public:
    static constexpr int kMaxTabs = 12; // limits the memory for answers

    // `view` must outlive the panel.
    explicit SqlPanel(ViewState& view, QWidget* parent = nullptr);
    ~SqlPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override;

    QTreeWidget* schema() const { return m_schema; }
    QTabBar* tabs() const { return m_tabs; }
    // Adds a tab with an empty query and brings it to the front. At kMaxTabs tabs, a message is shown
    // instead.
    void addTab();
    // Closes the tab and releases its answer. The last tab is replaced by an empty one.
    void closeTab(int index);

    // The following functions refer to the tab in front.
    QueryTab* tab() const;
    QueryEditor* editor() const;
    TableView* view() const;
    // Returns the result of the last query; nullptr if there was no query yet or if it failed.
    const Table* table() const;
    // Returns the message that is shown instead of a result, such as an error.
    QString hint() const;
    // Returns the equivalent command "lockstep --sql '...' FILES", quoted for a shell.
    QString commandLine() const;
    // Replaces the query in the editor and runs it.
    void runQuery(const QString& query);

    // Set the history and the saved queries in the format of the signals below. Entries that are not valid
    // are skipped.
    void setHistoryText(const QString& text);
    void setSavedText(const QString& text);

  signals:
    // Emitted when a query finishes or fails.
    void answered();
    // Emitted with the text to store when the user changes the history or the saved queries.
    void historyChanged(const QString& text);
    void savedChanged(const QString& text);
    // Emitted when the user requests lanes with the rows of an answer. `title` is the title of the tab.
    // `answer` is null if it is outdated; the query must then be run again.
    void lanesRequested(const QString& title, const QString& query,
                        const std::shared_ptr<const Table>& answer);

  protected:
    void rebuild() override;
    bool event(QEvent* event) override;

  private:
    QWidget* makeSchema();
    QWidget* makeBar();
    QueryTab* tabAt(int index) const;
    void showTab(int index);
    QString titleOf(const QueryTab& tab, const QString& query) const;
    void nameTab(QueryTab& tab);
    void run(QueryTab& tab);
    void fillReady(QMenu& menu);
    void fillSaved(QMenu& menu);
    void fillHistory(QMenu& menu);
    void promptForName();
    void save(const QString& name);
    void remove(const QString& name);

    ViewState& m_viewState;
    QTreeWidget* m_schema = nullptr;
    QTabBar* m_tabs = nullptr;
    QStackedWidget* m_pages;
    QToolButton* m_ready = nullptr;
    QToolButton* m_saved = nullptr;
    QToolButton* m_history = nullptr;
    StoredQueries m_savedQueries;
    StoredQueries m_historyQueries;
    Theme m_theme;
    int m_lastNumber = 0; // number in the title of the newest tab
};

} // namespace lockstep
