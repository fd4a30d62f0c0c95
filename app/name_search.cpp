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
          [this](const Result<std::shared_ptr<const SliceSearch>>& outcome) {
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
    if (!before->shown.hasSameReports(scene->shown)) start();
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
        m_job.start([workspace = m_scene->shown, query = searchQueryOf(m_text)](
                        const Progress& progress) -> Result<std::shared_ptr<const SliceSearch>> {
            return std::make_shared<const SliceSearch>(
                LOCKSTEP_TRY(SliceSearch::make(workspace, query, progress)));
        });
    }
    emit stateChanged();
}

void NameSearch::step(SliceRef from, bool isForward)
{
    if (!m_found) return;
    if (m_step.isRunning()) {
        m_nextStep = isForward;
        return;
    }
    m_step.start([found = m_found, from, isForward](const Progress&) -> Result<Match> {
        Match match;
        match.slice = (isForward ? found->next(from) : found->previous(from)).value_or(SliceRef());
        if (match.slice.isValid()) match.index = found->indexOf(match.slice);
        return match;
    });
}

void NameSearch::takeStep(const Result<Match>& outcome)
{
    m_at = outcome ? *outcome : Match();
    emit stateChanged();
    const std::optional<bool> next = std::exchange(m_nextStep, std::nullopt);
    if (!m_at.slice.isValid()) return;
    emit steppedTo(m_at.slice);
    if (next) step(m_at.slice, *next);
}

QString NameSearch::state() const
{
    if (m_text.isEmpty()) return {};
    if (m_job.isRunning()) return QString("searching \u2026");
    if (!m_found) return m_error;
    if (m_found->count() == 0) return "no match";
    const QString count = QString::fromStdString(groupedText(static_cast<int64_t>(m_found->count())));
    if (!m_at.slice.isValid()) return count + " found";
    return QString::fromStdString(groupedText(static_cast<int64_t>(m_at.index) + 1)) + " of " + count;
}

} // namespace lockstep
