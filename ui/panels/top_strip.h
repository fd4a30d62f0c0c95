// TopStrip: the line below the menu: tabs of the window's pages, the breadcrumb of zooms, and the search
// field, which finds slices by name, filters lanes after "lane:" and runs commands after ">". UI thread.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/models/zoom_trail.h"

class QCompleter;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStringListModel;

namespace lockstep {

class TopStrip : public QWidget {
    Q_OBJECT

  public:
    enum class Page : uint8_t { session, run, timeline };

    explicit TopStrip(QWidget* parent = nullptr);

    // Marks the page that is shown; the breadcrumb and the search belong to the timeline alone.
    void setPage(Page page);
    void setTrail(const ZoomTrail& trail);
    // Texts offered after ">".
    void setCommands(const QStringList& commands);
    // "3 of 120", "none"; empty hides it.
    void setSearchState(const QString& text);
    // Puts the cursor into the search field, before it what kind of search is meant: "", "lane:" or ">".
    void startSearch(const QString& prefix);
    QLineEdit* searchField() const { return m_search; }

  signals:
    void pageRequested(TopStrip::Page page);
    void zoomRequested(TimeRange range);
    void searchTextChanged(const QString& text);  // for a name; empty = no search
    void searchStepRequested(bool isForward);     // Enter, Shift+Enter
    void laneFilterChanged(const QString& regex); // empty = all lanes
    void commandRequested(const QString& text);
    // Escape: the cursor should go back to the timeline.
    void left();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void takeText(const QString& text);
    void enter(bool isForward);

    void makePages(QHBoxLayout& line);

    QWidget* m_trail;
    QHBoxLayout* m_crumbs;
    QLineEdit* m_search;
    QLabel* m_state;
    QCompleter* m_completer;
    QStringListModel* m_commands;
    QPushButton* m_sessionTab = nullptr;
    QPushButton* m_runTab = nullptr;
    QPushButton* m_timelineTab = nullptr;
};

} // namespace lockstep
