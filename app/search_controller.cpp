// SPDX-License-Identifier: Apache-2.0
#include "app/search_controller.h"

#include <QLineEdit>

#include "app/panel_docks.h"
#include "app/workspace_controller.h"
#include "ui/events/events_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/search/search_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

namespace lockstep {

SearchController::SearchController(const WindowParts& parts, TimelineView& timeline)
    : QObject(&timeline), m_parts(parts), m_timeline(timeline), m_search(parts.workers),
      m_panel(new SearchPanel(&parts.window)),
      m_marks(
          [this](const Result<std::shared_ptr<const HitRows>>& made) {
              m_timeline.setHits(made ? *made : nullptr);
          },
          parts.workers)
{
    connect(&m_search, &NameSearch::stateChanged, this, &SearchController::showState);
    connect(&m_search, &NameSearch::foundChanged, this, &SearchController::showFound);
    connect(&m_search, &NameSearch::steppedTo, this, &SearchController::goTo);
    connect(&m_search, &NameSearch::steppedToLane, &timeline, &TimelineView::showLane);
    connect(m_panel, &SearchPanel::textRequested, this, &SearchController::setText);
    connect(m_panel, &SearchPanel::stepRequested, this, &SearchController::step);
    connect(m_panel, &SearchPanel::rowRequested, this, [this](int row) {
        if (row >= 0) m_search.goTo(static_cast<uint64_t>(row));
    });
    connect(m_panel, &SearchPanel::cancelRequested, this, [this] { setText({}); });
    connectStrip();
}

void SearchController::connectStrip()
{
    TopStrip& strip = m_parts.strip;
    connect(&strip, &TopStrip::searchTextChanged, &m_search, &NameSearch::setText);
    connect(&strip, &TopStrip::searchStepRequested, this, &SearchController::step);
    connect(&strip, &TopStrip::searchFocusChanged, this, &SearchController::showPanel);
    connect(&strip, &TopStrip::searchWalked, this, [this](int by) {
        const int row = m_panel->table()->currentRow() + by;
        if (row >= 0) m_search.goTo(static_cast<uint64_t>(row));
    });
    connect(&strip, &TopStrip::hitsKept, &strip, &TopStrip::left);
    connect(&strip, &TopStrip::hitsRequested, this, [this] {
        EventsPanel& events = m_parts.docks.at<EventsPanel>();
        events.showHits();
        m_parts.docks.raise(events);
        emit m_parts.strip.left();
    });
}

void SearchController::setTheme(const Theme& theme)
{
    m_panel->setTheme(theme);
}

void SearchController::step(bool isForward)
{
    m_search.step(m_parts.view.slice(), isForward);
}

void SearchController::setText(const QString& text)
{
    m_parts.strip.searchField()->setText(text);
    m_parts.strip.searchField()->setFocus();
}

void SearchController::showState()
{
    m_parts.strip.setSearchState(m_search.error().isEmpty() ? m_search.state() : tr("not understood"));
    m_panel->setProgress(m_search.fraction());
}

void SearchController::showFound()
{
    const auto& found = m_search.found();
    const bool isWhole = found != nullptr && !found->isPartial();
    m_panel->setQuery(m_parts.strip.searchField()->text(), m_search.query(), m_search.error());
    m_panel->setHiddenNames(m_parts.view.hiddenNames());
    m_panel->setFound(found);
    mark();
    m_parts.docks.at<EventsPanel>().setSearch(isWhole ? found->hits() : nullptr, m_search.query());
    showPanel(m_hasFocus);
}

// In the lanes of the scene that is shown; where those changed the marks are made again.
void SearchController::mark()
{
    const auto& found = m_search.found();
    if (found == nullptr || found->isPartial()) {
        m_marks.cancel();
        return m_timeline.setHits(nullptr);
    }
    m_marks.start([scene = m_scene, hits = found->hits()](const Progress& progress) {
        return HitRows::make(scene, hits, progress);
    });
}

void SearchController::setScene(const ScenePtr& scene)
{
    m_scene = scene;
    m_search.setScene(scene);
    if (m_search.found() != nullptr) mark();
}

void SearchController::showPanel(bool hasFocus)
{
    m_hasFocus = hasFocus;
    const bool isShown = hasFocus && (!m_search.query().isEmpty() || !m_search.error().isEmpty()) &&
                         !m_parts.reports.scene()->shown.isEmpty();
    if (isShown) m_panel->placeBelow(*m_parts.strip.searchField());
    m_panel->setVisible(isShown);
}

void SearchController::goTo(SliceRef slice)
{
    m_parts.view.reveal(slice);
    const auto& list = m_panel->table()->model().list();
    const auto row = list != nullptr ? list->rowOf(slice) : std::nullopt;
    if (row) m_panel->table()->setCurrentRow(static_cast<int>(*row));
}

} // namespace lockstep
