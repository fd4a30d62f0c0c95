#include "app/name_search.h"

#include "core/base/text.h"

namespace lockstep {

SearchQuery searchQueryOf(const QString& text)
{
    const bool isRegex = text.size() > 2 && text.startsWith('/') && text.endsWith('/');
    return {(isRegex ? text.mid(1, text.size() - 2) : text).toStdString(), isRegex};
}

NameSearch::NameSearch(std::function<void()> changed)
    : m_changed(std::move(changed)), m_job([this](const Result<std::shared_ptr<const SliceSearch>>& outcome) {
          m_found = outcome ? *outcome : nullptr;
          m_error = outcome ? QString() : QString::fromStdString(outcome.error().message);
          m_changed();
      })
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
    m_job.cancel();
    if (!m_text.isEmpty()) {
        m_job.start([workspace = m_scene->shown, query = searchQueryOf(m_text)](
                        const Progress& progress) -> Result<std::shared_ptr<const SliceSearch>> {
            return std::make_shared<const SliceSearch>(
                LOCKSTEP_TRY(SliceSearch::make(workspace, query, progress)));
        });
    }
    m_changed();
}

SliceRef NameSearch::step(SliceRef from, bool isForward)
{
    if (!m_found) return {};
    m_at = (isForward ? m_found->next(from) : m_found->previous(from)).value_or(SliceRef());
    m_changed();
    return m_at;
}

QString NameSearch::state() const
{
    if (m_text.isEmpty()) return {};
    if (m_job.isRunning()) return QString("searching \u2026");
    if (!m_found) return m_error;
    if (m_found->count() == 0) return "no match";
    const QString count = QString::fromStdString(groupedText(static_cast<int64_t>(m_found->count())));
    if (!m_at.isValid()) return count + " found";
    return QString::fromStdString(groupedText(static_cast<int64_t>(m_found->indexOf(m_at)) + 1)) + " of " +
           count;
}

} // namespace lockstep
