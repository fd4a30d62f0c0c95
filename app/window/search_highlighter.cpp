// SPDX-License-Identifier: Apache-2.0
#include "app/window/search_highlighter.h"

#include "ui/compare/compare_view.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

SearchHighlighter::SearchHighlighter(TimelineView& own, const CompareView& compared, Workers workers)
    : m_own(own), m_compared(compared), m_otherSearch(workers),
      m_job([this](const Result<HighlightedRows>& marks) { take(marks); }, workers)
{
    connect(&m_otherSearch, &NameSearch::stateChanged, this, &SearchHighlighter::stateChanged);
    connect(&m_otherSearch, &NameSearch::foundChanged, this, [this] { mark(m_hits); });
}

void SearchHighlighter::setText(const QString& text, SearchSwitches switches)
{
    m_otherSearch.setText(text, switches);
}

bool SearchHighlighter::isOtherSearched() const
{
    return m_compared.isComparing() && !m_compared.halves()->isOneAxis();
}

void SearchHighlighter::mark(std::shared_ptr<const EventHits> hits)
{
    m_hits = std::move(hits);
    const bool isComparing = m_compared.isComparing();
    const ScenePtr own = m_own.state().sharedScene();
    const ScenePtr other = isComparing ? m_compared.other().state().sharedScene() : nullptr;
    std::shared_ptr<const EventHits> otherHits = isComparing ? m_hits : nullptr;
    {
        // Block signals, because they would call this function again.
        const QSignalBlocker once(m_otherSearch);
        m_otherSearch.setScene(isOtherSearched() ? other : m_emptyScene);
    }
    if (isOtherSearched()) {
        const auto& found = m_otherSearch.found();
        otherHits = found != nullptr && !found->isPartial() ? found->hits() : nullptr;
    }
    if (m_hits == nullptr && otherHits == nullptr) {
        m_job.cancel();
        m_own.setHits(nullptr);
        if (isComparing) m_compared.other().setHits(nullptr);
        return;
    }
    m_job.start([own, other, hits = m_hits, otherHits](const Progress& progress) -> Result<HighlightedRows> {
        HighlightedRows marks{nullptr, nullptr, other};
        if (hits != nullptr) marks.own = LOCKSTEP_TRY(HitRows::make(own, hits, progress));
        if (otherHits == hits && other == own) {
            marks.other = marks.own;
        } else if (otherHits != nullptr) {
            marks.other = LOCKSTEP_TRY(HitRows::make(other, otherHits, progress));
        }
        return marks;
    });
}

void SearchHighlighter::take(const Result<HighlightedRows>& marks)
{
    m_own.setHits(marks ? marks->own : nullptr);
    if (!marks || marks->otherScene == nullptr || !m_compared.isComparing()) return;
    TimelineView& other = m_compared.other();
    if (other.state().sharedScene() == marks->otherScene) other.setHits(marks->other);
}

QString SearchHighlighter::otherState() const
{
    if (!isOtherSearched() || m_otherSearch.state().isEmpty()) return {};
    return QString("%1: %2").arg(m_compared.ownHalf() == 0 ? "B" : "A", m_otherSearch.state());
}

} // namespace lockstep
