// SPDX-License-Identifier: Apache-2.0
// TopStrip: the line below the menu: tabs of the window's pages, the breadcrumb of zooms, and the search
// field, which finds slices by name, filters lanes after "lane:" and runs commands after ">". UI thread.
#pragma once

#include <vector>

#include <QWidget>

#include "core/timeline/event_query.h"
#include "ui/models/zoom_trail.h"

class QCompleter;
class QHBoxLayout;
class QKeyEvent;
class QLabel;
class QLineEdit;
class QPushButton;
class QStandardItemModel;
class QToolButton;

namespace lockstep {

class TopStrip : public QWidget {
    Q_OBJECT

  public:
    explicit TopStrip(QWidget* parent = nullptr);

    // Adds a tab at the right of the others.
    void addTab(const QString& title, const QString& tooltip);
    // Marks the tab of the page that is shown; not every page has a breadcrumb.
    void setTab(const QString& title, bool hasTrail);
    void setTrail(const ZoomTrail& trail);
    // What puts the cursor into it; "" for nothing.
    void setSearchKey(const QString& key);
    // Texts offered after ">".
    struct Command {
        QString text;
        QString keys; // shown beside it
    };
    void setCommands(const std::vector<Command>& commands);
    QCompleter* completer() const { return m_completer; }
    // "3 of 120", "none"; empty hides it.
    void setSearchState(const QString& text);
    QString searchState() const; // in full
    // How well a run that is watched is kept up with; "" hides it.
    void setLive(const QString& text, const QString& tooltip, bool isFollowing);
    // Puts the cursor into the search field, before it what kind of search is meant: "", "lane:" or ">".
    void startSearch(const QString& prefix);
    // Filters lanes as if it was written there, "" lets all through; the keyboard stays where it is.
    void filterLanes(const QString& regex);
    QLineEdit* searchField() const { return m_search; }
    QToolButton* caseSwitch() const { return m_case; }
    QToolButton* regexSwitch() const { return m_regex; }

  signals:
    void tabRequested(const QString& title);
    void zoomRequested(TimeRange range);
    void searchTextChanged(const QString& text, SearchSwitches switches); // empty = no search
    void searchStepRequested(bool isForward);                             // Enter, Shift+Enter
    void searchWalked(int by);                                            // Down 1, Up -1
    void hitsSelected();  // Ctrl+Enter: all of them, and they stay marked
    void hitsRequested(); // Alt+Enter: as rows of the events
    void searchFocusChanged(bool hasFocus);
    void laneFilterChanged(const QString& regex); // empty = all lanes
    void liveClicked();
    void commandRequested(const QString& text);
    // The cursor should go back to the page, e.g. after Escape.
    void left();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeSearch();
    QWidget* makeSwitches();
    void placeSwitches();
    void grow(bool hasFocus);
    bool isSearch() const;
    bool pressSearchKey(const QKeyEvent& key);
    void takeText(const QString& text);
    void enter(bool isForward);

    QHBoxLayout* m_tabs;
    QWidget* m_trail;
    QHBoxLayout* m_crumbs;
    QLineEdit* m_search;
    QLabel* m_state;
    QWidget* m_switches = nullptr;
    QToolButton* m_case = nullptr;
    QToolButton* m_regex = nullptr;
    QPushButton* m_live;
    QCompleter* m_completer;
    QStandardItemModel* m_commands;
};

} // namespace lockstep
