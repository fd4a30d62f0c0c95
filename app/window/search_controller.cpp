// SPDX-License-Identifier: Apache-2.0
#include "app/window/search_controller.h"

#include <QLineEdit>

#include "app/window/panel_docks.h"
#include "app/window/workspace_controller.h"
#include "core/search/same_name.h"
#include "ui/events/events_panel.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/search/search_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

SearchController::SearchController(const WindowParts& parts, TimelineView& timeline,
                                   const CompareView& compared)
    : QObject(&timeline), m_parts(parts), m_timeline(timeline), m_search(parts.workers),
      m_panel(new SearchPanel(&parts.window)), m_marks(timeline, compared, parts.workers),
      m_select([this](const Result<SliceList>& hits) { handleSelected(hits); }, parts.workers)
{
    connect(&m_search, &NameSearch::stateChanged, this, &SearchController::showState);
    connect(&m_marks, &SearchHighlighter::stateChanged, this, &SearchController::showState);
    connect(&m_search, &NameSearch::foundChanged, this, &SearchController::showFound);
    connect(&m_search, &NameSearch::steppedTo, this, &SearchController::goTo);
    connect(&m_search, &NameSearch::steppedToLane, &timeline.lanes(), &LaneTool::showLane);
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
    connect(&strip, &TopStrip::searchTextChanged, this, [this] {
        m_isSelecting = false;
        m_select.cancel();
    });
    connect(&strip, &TopStrip::searchTextChanged, &m_search, &NameSearch::setText);
    connect(&strip, &TopStrip::searchTextChanged, &m_marks, &SearchHighlighter::setText);
    connect(&strip, &TopStrip::searchFocusChanged, this, &SearchController::showPanel);
    connect(&strip, &TopStrip::searchKeyPressed, this, &SearchController::handleKey);
}

void SearchController::handleKey(SearchKey key)
{
    switch (key) {
    case SearchKey::next:
    case SearchKey::previous:
        return step(key == SearchKey::next);
    case SearchKey::down:
    case SearchKey::up: {
        const int row = m_panel->table()->currentRow() + (key == SearchKey::down ? 1 : -1);
        if (row >= 0) m_search.goTo(static_cast<uint64_t>(row));
        return;
    }
    case SearchKey::selectAll:
        m_isSelecting = true;
        selectHits();
        break;
    case SearchKey::list: {
        EventsPanel& events = m_parts.docks.at<EventsPanel>();
        events.showHits();
        m_parts.docks.raise(events);
        break;
    }
    }
    emit m_parts.strip.pageFocusRequested();
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
    QString state = m_search.error().isEmpty() ? m_search.state() : tr("invalid query");
    if (const QString other = m_marks.otherState(); !other.isEmpty() && m_search.error().isEmpty())
        state += QString::fromUtf8(" \u00B7 ") + other;
    m_parts.strip.setSearchState(state);
    m_panel->setProgress(m_search.fraction());
}

// Selects the hits once all are known.
void SearchController::selectHits()
{
    const auto& found = m_search.found();
    if (!m_isSelecting || found == nullptr || found->isPartial()) return;
    m_isSelecting = false;
    m_select.start([found](const Progress& progress) -> Result<SliceList> {
        constexpr uint64_t kRowsARead = 1 << 16;
        std::vector<SliceRef> hits(std::min(found->sliceCount(), kMaxSameName));
        for (uint64_t row = 0; row < hits.size(); row += kRowsARead) {
            LOCKSTEP_TRY(progress.check());
            found->slices()->read(row, std::span(hits).subspan(row, std::min(kRowsARead, hits.size() - row)));
        }
        return sliceListOf(std::move(hits));
    });
}

void SearchController::handleSelected(const Result<SliceList>& hits)
{
    if (!hits || *hits == nullptr) return;
    m_parts.view.setRange(std::nullopt);
    m_parts.view.setAreas({}, *hits);
    m_parts.view.finishArea();
    const auto& found = m_search.found();
    if (found != nullptr && found->sliceCount() > (*hits)->size())
        m_parts.notices.post(
            tr("Selected the first %1 of %2 matches").arg((*hits)->size()).arg(found->sliceCount()));
}

void SearchController::showFound()
{
    selectHits();
    const auto& found = m_search.found();
    const bool isWhole = found != nullptr && !found->isPartial();
    m_panel->setQuery(m_parts.strip.searchField()->text(), m_search.query(), m_search.error());
    m_panel->setHiddenNames(m_parts.view.hiddenNames());
    m_panel->setFound(found);
    mark();
    const std::shared_ptr<const EventHits> hits = isWhole ? found->hits() : nullptr;
    m_parts.docks.at<EventsPanel>().setSearch(hits, m_search.query());
    m_parts.docks.at<ReportsPanel>().setHits(hits);
    showPanel(m_hasFocus);
}

void SearchController::mark()
{
    const auto& found = m_search.found();
    m_marks.mark(found != nullptr && !found->isPartial() ? found->hits() : nullptr);
    showState();
}

void SearchController::setScene(const ScenePtr& scene)
{
    m_search.setScene(scene);
    mark();
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
