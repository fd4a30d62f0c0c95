// SPDX-License-Identifier: Apache-2.0
#include "app/window/name_search.h"

#include <cmath>

#include "core/base/text.h"
#include "core/readers/reader.h"

namespace lockstep {

namespace {

constexpr uint64_t kFirstHits = 100;

bool isAlignedAlike(const Scene& a, const Scene& b)
{
    return std::ranges::all_of(a.shown.keys(), [&](ReportKey key) {
        return b.shown.has(key) && a.alignment.map(key) == b.alignment.map(key);
    });
}

Result<std::vector<std::pair<std::string, std::string>>> argumentsOf(const Report& report, SliceId slice)
{
    SliceDetails details = LOCKSTEP_TRY(readSliceDetails(report, slice));
    return std::move(details.arguments);
}

} // namespace

NameSearch::NameSearch(Workers workers, QObject* parent)
    : QObject(parent), m_firstJob(
                           [this](const Result<std::shared_ptr<const SceneSearch>>& outcome) {
                               if (m_found != nullptr || !outcome || (*outcome)->sliceCount() == 0) return;
                               m_first = *outcome;
                               emit foundChanged();
                           },
                           workers),
      m_job(
          [this](const Result<std::shared_ptr<const SceneSearch>>& outcome) {
              m_poll.stop();
              m_firstJob.cancel();
              m_first.reset();
              m_found = outcome ? *outcome : nullptr;
              m_error = outcome ? QString() : QString::fromStdString(outcome.error().message);
              emit stateChanged();
              emit foundChanged();
          },
          std::move(workers)),
      m_step([this](const Result<Match>& outcome) { takeStep(outcome); })
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(300);
    connect(&m_soon, &QTimer::timeout, this, &NameSearch::find);
    m_poll.setInterval(100);
    connect(&m_poll, &QTimer::timeout, this, &NameSearch::stateChanged);
}

void NameSearch::setScene(const ScenePtr& scene)
{
    const ScenePtr before = std::exchange(m_scene, scene);
    const bool isSame =
        before == scene || (before->shown.hasSameReports(scene->shown) && isAlignedAlike(*before, *scene) &&
                            !m_query.has(EventKey::rank) && !m_query.has(EventKey::lane));
    if (!isSame || (m_found && !m_found->isOf(*scene->tree))) start();
}

void NameSearch::setText(const QString& text, SearchSwitches switches)
{
    if (text == m_text && switches == m_switches) return;
    m_text = text;
    m_switches = switches;
    start();
}

void NameSearch::start()
{
    m_found.reset();
    m_first.reset();
    m_error.clear();
    m_at = {};
    m_nextStep.reset();
    m_step.cancel();
    m_job.cancel();
    m_firstJob.cancel();
    m_soon.stop();
    m_poll.stop();
    auto query = parseEventQuery(m_text.toStdString(), m_switches);
    if (!query) m_error = QString::fromStdString(query.error().message);
    m_query = query ? *std::move(query) : EventQuery();
    if (!m_query.isEmpty()) {
        if (m_query.has(EventKey::argument)) {
            m_soon.start();
        } else {
            find();
        }
    }
    emit stateChanged();
    emit foundChanged();
}

void NameSearch::find()
{
    const bool searchesFiles = m_query.has(EventKey::argument);
    if (!searchesFiles) {
        m_firstJob.start([scene = m_scene, query = m_query](
                             const Progress& progress) -> Result<std::shared_ptr<const SceneSearch>> {
            return std::make_shared<const SceneSearch>(
                LOCKSTEP_TRY(SceneSearch::makeFirst(scene, query, kFirstHits, progress)));
        });
    }
    m_counts = std::make_shared<ProgressCounts>();
    if (searchesFiles) m_poll.start();
    m_job.start([scene = m_scene, query = m_query, counts = m_counts](
                    const Progress& jobProgress) -> Result<std::shared_ptr<const SceneSearch>> {
        const Progress progress(
            jobProgress.stopToken(),
            [counts](uint64_t done, uint64_t total) {
                counts->done = done;
                counts->total = total;
            },
            jobProgress.workers());
        return std::make_shared<const SceneSearch>(
            LOCKSTEP_TRY(SceneSearch::make(scene, query, progress, argumentsOf)));
    });
    emit stateChanged();
}

std::optional<double> NameSearch::fraction() const
{
    const uint64_t total = m_counts->total;
    if (!m_job.isRunning() || total == 0) return std::nullopt;
    return static_cast<double>(m_counts->done) / static_cast<double>(total);
}

void NameSearch::step(SliceRef inFocus, bool isForward)
{
    if (!m_found) return;
    if (m_step.isRunning()) {
        m_nextStep = isForward;
        return;
    }
    // If the last step went to a lane, continue from that lane unless a different slice was selected since.
    const bool isAtLane = !m_at.find.lane.empty() && inFocus == m_lastSelected;
    const SearchResult from = isAtLane ? m_at.find : SearchResult{inFocus, {}};
    m_lastSelected = inFocus;
    m_step.start([found = m_found, from, isForward](const Progress&) -> Result<Match> {
        Match match;
        match.find = isForward ? found->next(from) : found->previous(from);
        if (!match.find.isEmpty()) match.index = found->indexOf(match.find);
        return match;
    });
}

void NameSearch::goTo(uint64_t row)
{
    if (found() == nullptr || row >= found()->sliceCount()) return;
    m_step.cancel();
    m_nextStep.reset();
    takeStep(Match{{found()->slices()->at(row), {}}, row});
}

void NameSearch::takeStep(const Result<Match>& outcome)
{
    m_at = outcome ? *outcome : Match();
    emit stateChanged();
    const std::optional<bool> next = std::exchange(m_nextStep, std::nullopt);
    const SearchResult& at = m_at.find;
    if (at.isEmpty()) return;
    if (at.slice.isValid()) {
        m_lastSelected = at.slice;
        emit steppedTo(at.slice);
    } else {
        emit steppedToLane(QString::fromStdString(at.lane));
    }
    if (next) step(m_lastSelected, *next);
}

QString NameSearch::state() const
{
    if (!m_error.isEmpty()) return m_error;
    if (m_query.isEmpty()) return {};
    if (const auto part = fraction()) return tr("reading files, %1 %").arg(std::floor(*part * 100));
    if (m_job.isRunning() || m_soon.isActive()) return tr("searching\u2026");
    if (!m_found) return {};
    const uint64_t unread = m_found->hits()->unreadCount();
    if (m_found->count() == 0 && unread == 0) return tr("no match");
    QString count = QString::fromStdString(groupedText(static_cast<int64_t>(m_found->count())));
    if (m_at.find.isEmpty()) count = tr("%1 found").arg(count);
    if (unread > 0)
        count = tr("%1, %2 not read").arg(count, groupedText(static_cast<int64_t>(unread)).c_str());
    if (m_at.find.isEmpty()) return count;
    return tr("%1 of %2").arg(groupedText(static_cast<int64_t>(m_at.index) + 1).c_str(), count);
}

} // namespace lockstep
