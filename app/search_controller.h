// SPDX-License-Identifier: Apache-2.0
// SearchController: joins the search field with what it searches for, the results below it, the timeline that
// marks them and the panel that lists them. Made by the page with the timeline. UI thread.
#pragma once

#include "app/search_marks.h"
#include "app/window_parts.h"
#include "core/lanes/area.h"

namespace lockstep {

class SearchPanel;
struct Theme;

class SearchController : public QObject {
    Q_OBJECT

  public:
    // timeline and compared outlive it.
    SearchController(const WindowParts& parts, TimelineView& timeline, const CompareView& compared);

    void setScene(const ScenePtr& scene);
    // The timelines show another scene, or another half stands beside: hits are marked there too.
    void mark();
    void setTheme(const Theme& theme);
    void step(bool isForward);
    bool isBusy() const { return m_search.isRunning() || m_marks.isBusy() || m_select.isRunning(); }

  private:
    void connectStrip();
    void showState();
    void showFound();
    void showPanel(bool hasFocus);
    void setText(const QString& text);
    void goTo(SliceRef slice);
    void selectHits();
    void takeSelected(const Result<SliceList>& hits);

    WindowParts m_parts;
    TimelineView& m_timeline;
    NameSearch m_search;
    SearchPanel* m_panel;
    bool m_hasFocus = false;
    bool m_isSelecting = false; // once all hits of the text are known
    SearchMarks m_marks;
    LatestJob<SliceList> m_select;
};

} // namespace lockstep
