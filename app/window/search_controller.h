// SPDX-License-Identifier: Apache-2.0
// SearchController connects the search field with the search itself, the results below the field, the
// highlighted hits on the timeline, and the Events panel. Created by the timeline page. UI thread.
#pragma once

#include "app/window/search_highlighter.h"
#include "app/window/window_parts.h"
#include "core/lanes/area.h"
#include "ui/panels/top_strip.h"

namespace lockstep {

class SearchPanel;
struct Theme;

class SearchController : public QObject {
    Q_OBJECT

  public:
    // `timeline` and `compared` must outlive the controller.
    SearchController(const WindowParts& parts, TimelineView& timeline, const CompareView& compared);

    void setScene(const ScenePtr& scene);
    // Highlights the hits again after the scene or the panes of the comparison changed.
    void mark();
    void setTheme(const Theme& theme);
    void step(bool isForward);
    bool isBusy() const { return m_search.isRunning() || m_marks.isBusy() || m_select.isRunning(); }

  private:
    void connectStrip();
    void handleKey(SearchKey key);
    void showState();
    void showFound();
    void showPanel(bool hasFocus);
    void setText(const QString& text);
    void goTo(SliceRef slice);
    void selectHits();
    void handleSelected(const Result<SliceList>& hits);

    WindowParts m_parts;
    TimelineView& m_timeline;
    NameSearch m_search;
    SearchPanel* m_panel;
    bool m_hasFocus = false;
    bool m_isSelecting = false; // select the hits once all are known
    SearchHighlighter m_marks;
    LatestJob<SliceList> m_select;
};

} // namespace lockstep
