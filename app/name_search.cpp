// SPDX-License-Identifier: Apache-2.0
#include "app/name_search.h"

#include "core/base/text.h"

namespace lockstep {

SearchQuery searchQueryOf(const QString& text)
{
    const bool isRegex = text.size() > 2 && text.startsWith('/') && text.endsWith('/');
    return {(isRegex ? text.mid(1, text.size() - 2) : text).toStdString(), isRegex};
}

NameSearch::NameSearch(Workers workers, QObject* parent)
    : QObject(parent),
      m_job(
          [this](const Result<std::shared_ptr<const SceneSearch>>& outcome) {
              m_found = outcome ? *outcome : nullptr;
              m_error = outcome ? QString() : QString::fromStdString(outcome.error().message);
              emit stateChanged();
          },
          std::move(workers)),
      m_step([this](const Result<Match>& outcome) { takeStep(outcome); })
{
}

void NameSearch::setScene(const ScenePtr& scene)
{
    const ScenePtr before = std::exchange(m_scene, scene);
    const bool isSame = before->shown.hasSameReports(scene->shown);
    if (!isSame || (m_found && !m_found->isOf(*scene->tree))) start();
}

void NameSearch::setText(const QString& text)
{
    if (text == m_text) return;
    m_text = text;
    start();
}

void NameSearch::start()
{
    m_found.reset();
    m_error.clear();
    m_at = {};
    m_nextStep.reset();
    m_step.cancel();
    m_job.cancel();
    if (!m_text.isEmpty()) {
        m_job.start([scene = m_scene, query = searchQueryOf(m_text)](
                        const Progress& progress) -> Result<std::shared_ptr<const SceneSearch>> {
            return std::make_shared<const SceneSearch>(
                LOCKSTEP_TRY(SceneSearch::make(*scene, query, progress)));
        });
    }
    emit stateChanged();
}

void NameSearch::step(SliceRef inHand, bool isForward)
{
    if (!m_found) return;
    if (m_step.isRunning()) {
        m_nextStep = isForward;
        return;
    }
    // The lane stepped to last stays where the search is until another slice is taken in hand.
    const bool isAtLane = !m_at.find.lane.empty() && inHand == m_inHand;
    const SearchFind from = isAtLane ? m_at.find : SearchFind{inHand, {}};
    m_inHand = inHand;
    m_step.start([found = m_found, from, isForward](const Progress&) -> Result<Match> {
        Match match;
        match.find = isForward ? found->next(from) : found->previous(from);
        if (!match.find.isNothing()) match.index = found->indexOf(match.find);
        return match;
    });
}

void NameSearch::takeStep(const Result<Match>& outcome)
{
    m_at = outcome ? *outcome : Match();
    emit stateChanged();
    const std::optional<bool> next = std::exchange(m_nextStep, std::nullopt);
    const SearchFind& at = m_at.find;
    if (at.isNothing()) return;
    if (at.slice.isValid()) {
        m_inHand = at.slice;
        emit steppedTo(at.slice);
    } else {
        emit steppedToLane(QString::fromStdString(at.lane));
    }
    if (next) step(m_inHand, *next);
}

QString NameSearch::state() const
{
    if (m_text.isEmpty()) return {};
    if (m_job.isRunning()) return tr("searching \u2026");
    if (!m_found) return m_error;
    if (m_found->count() == 0) return tr("no match");
    const QString count = QString::fromStdString(groupedText(static_cast<int64_t>(m_found->count())));
    if (m_at.find.isNothing()) return tr("%1 found").arg(count);
    return tr("%1 of %2").arg(groupedText(static_cast<int64_t>(m_at.index) + 1).c_str(), count);
}

} // namespace lockstep
