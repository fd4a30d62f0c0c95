// SPDX-License-Identifier: Apache-2.0
// TopStrip is the line below the menu: it contains the tabs of the window's pages, the zoom breadcrumb, and
// the search field. The search field finds slices by name; text after "lane:" filters the lanes, and text
// after ">" runs a command. UI thread.
#pragma once

#include <vector>

#include <QPointer>
#include <QWidget>

#include "core/search/event_query.h"
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

class CrumbBar;

// Keys in the search field while it contains a search: Enter and Shift+Enter go to the next and previous hit,
// Down and Up to the neighboring rows of the list of hits, Ctrl+Enter selects all hits, and Alt+Enter lists
// them in the Events panel.
enum class SearchKey { next, previous, down, up, selectAll, list };

class TopStrip : public QWidget {
    Q_OBJECT

  public:
    explicit TopStrip(QWidget* parent = nullptr);

    // Adds a tab to the right of the others.
    void addTab(const QString& title, const QString& tooltip);
    // Highlights the tab of the current page. hasTrail: true if the page has a breadcrumb.
    void setTab(const QString& title, bool hasTrail);
    CrumbBar& trail() const { return *m_trail; }
    // Sets the shortcut that the search field shows; "" for none.
    void setSearchKey(const QString& key);
    // Command is a command that is offered after the user types ">".
    struct Command {
        QString text;
        QString keys;        // shown next to the text
        QString description; // searched, but not shown
    };
    // Sets the commands, in the order in which they are offered before the user types a name.
    void setCommands(std::vector<Command> commands);
    QCompleter* completer() const { return m_completer; }
    // Shows the state of the search, e.g. "3 of 120" or "none"; an empty string hides the state.
    void setSearchState(const QString& text);
    // Shows the state of the watched run on the live button; an empty string hides the button.
    void setLive(const QString& text, const QString& tooltip, bool isFollowing);
    // Focuses the search field and starts a search with this prefix: "", "lane:" or ">". The focus returns to
    // where it was when the user presses Esc or runs a command.
    void startSearch(const QString& prefix);
    // Filters lanes as if the text were typed into the field; "" shows all lanes. The keyboard focus does not
    // move.
    void filterLanes(const QString& regex);
    QLineEdit* searchField() const { return m_search; }

  signals:
    void tabRequested(const QString& title);
    void searchTextChanged(const QString& text, SearchSwitches switches); // an empty string means no search
    void searchKeyPressed(SearchKey key);
    void searchFocusChanged(bool hasFocus);
    void laneFilterChanged(const QString& regex); // an empty string means all lanes
    void liveClicked();
    void commandRequested(const QString& text);
    // Requests that the focus go to the page, because the widget that had it before is gone.
    void pageFocusRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeSearch();
    QWidget* makeSwitches();
    void placeSwitches();
    void grow(bool hasFocus);
    bool isSearch() const;
    bool pressSearchKey(const QKeyEvent& key);
    bool pressPopupKey(const QKeyEvent& key);
    void takeText(const QString& text);
    void offerCommands(const QString& typed);
    void requestCommand(const QString& text);
    void returnFocus();
    void enter(bool isForward);

    QHBoxLayout* m_tabs;
    CrumbBar* m_trail;
    QLineEdit* m_search;
    QLabel* m_state;
    QWidget* m_switches = nullptr;
    QToolButton* m_case = nullptr;
    QToolButton* m_regex = nullptr;
    QPushButton* m_live;
    QCompleter* m_completer;
    std::vector<Command> m_commands;
    QStandardItemModel* m_offered;   // the commands that match what was typed, best first
    QPointer<QWidget> m_focusBefore; // had the focus before the search field
};

} // namespace lockstep
