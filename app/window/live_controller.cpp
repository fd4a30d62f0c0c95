// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_controller.h"

#include <algorithm>

#include "app/window/command_actions.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/run_page_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/workspace_controller.h"
#include "core/base/text.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

const QString kDot = QString(" %1 ").arg(QChar(0xB7));

} // namespace

QString liveText(const LiveFigures& figures, bool isFollowing)
{
    const auto tr = [](const char* text) { return LiveController::tr(text); };
    QStringList words;
    if (figures.hasEnded) {
        words << tr("run ended");
    } else if (!figures.isWatching) {
        return QString(QChar(0x25CB)) + ' ' + tr("no longer watched");
    } else if (!figures.lost.empty()) {
        words << tr("live")
              << (figures.lost.size() == 1
                      ? tr("link to %1 lost").arg(QString::fromStdString(figures.lost.front()))
                      : tr("%1 links lost").arg(figures.lost.size()));
    } else if (!figures.awaited.empty()) {
        words << tr("live")
              << (figures.awaited.size() == 1
                      ? tr("connecting to %1").arg(QString::fromStdString(figures.awaited.front()))
                      : tr("connecting to %1 hosts").arg(figures.awaited.size()));
    } else if (figures.processes == 0 && figures.recordFiles == 0) {
        words << tr("live") << tr("no captures or records yet");
    } else {
        words << tr("live");
    }
    if (figures.processes > 0 && !figures.hasEnded) words << tr("lag %1 s").arg(figures.lag_s, 0, 'f', 1);
    if (figures.processes + figures.recordFiles > 0 && !figures.hasEnded) {
        words << tr("%1/s").arg(
            QString::fromStdString(byteText(static_cast<int64_t>(figures.received_bytesPerS))));
    }
    words << (isFollowing ? tr("following") : tr("End to follow"));
    return QString(QChar(0x25CF)) + ' ' + words.join(kDot);
}

LiveController::LiveController(const WindowParts& parts, SaveController& save, QObject* parent)
    : QObject(parent), m_parts(parts), m_save(save), m_runs(parts.pages.at<RunPageController>().runs()),
      m_timeline(parts.pages.at<TimelinePageController>()),
      m_watch(parts.reports, parts.workers, parts.memory)
{
    m_clock.start();
    m_frame.setSingleShot(true);
    m_frame.setTimerType(Qt::PreciseTimer);
    connect(&m_frame, &QTimer::timeout, this, &LiveController::glide);
    m_save.setObstacle([this] { return obstacle(); });
    connect(m_parts.actions.at(CommandId::watchLive), &QAction::triggered, this, &LiveController::watch);
    connect(&m_runs, &RunController::runChanged, this, [this](RunChange change) {
        if (change == RunChange::attached && std::exchange(m_watchesOnAttach, false)) watch();
        if (change != RunChange::detached) return;
        // Keep the watched data on the timeline, although no more data will arrive.
        m_watch.stop();
        setFollowing(false);
    });
    connect(&m_runs, &RunController::workspaceWritten, this, &LiveController::openCollected);
    connect(&parts.reports, &WorkspaceController::workspaceOpened, this, &LiveController::handleOpened);
    // Connected after the pages were created, so that the pages have the scene before this slot runs.
    connect(&parts.reports, &WorkspaceController::sceneChanged, this, &LiveController::followNewest);
    // Following ends when the user zooms or pans.
    connect(&m_timeline, &TimelinePageController::navigated, this, [this] {
        if (m_follows && m_watch.hasPieces()) setFollowing(false);
    });
    connect(&m_watch, &LiveWatch::figuresChanged, this, &LiveController::showBadge);
    connect(parts.actions.at(CommandId::followNewest), &QAction::triggered, this, [this] {
        if (m_watch.hasPieces()) setFollowing(true);
    });
    connect(&parts.strip, &TopStrip::liveClicked, this, [this] {
        m_parts.actions.at(CommandId::showTimeline)->trigger();
        setFollowing(true);
    });
}

void LiveController::close()
{
    m_watch.stop();
    m_watch.clear(false);
}

void LiveController::watchRun(const QString& id)
{
    m_watchesOnAttach = true;
    m_runs.attach(id);
}

void LiveController::watch()
{
    const Run* const run = m_runs.run();
    if (run == nullptr) {
        return m_parts.notice.showNotice(NoticeBar::Tone::quiet,
                                         tr("No run to watch. Launch a session or attach to a run first."));
    }
    if (m_watch.isWatching() && m_watch.run() == run->record().id) return setFollowing(true);
    const bool isOtherLive = m_watch.hasPieces() && m_watch.run() != run->record().id;
    if (isOtherLive || hasOtherReports(*run)) return m_save.startNew([this] { begin(); });
    begin();
}

void LiveController::begin()
{
    const Run* const run = m_runs.run();
    if (run == nullptr) return; // stopped while the user was asked
    m_reported.clear();
    m_isNew = true;
    m_watch.begin(*run);
    setFollowing(true);
    m_parts.actions.at(CommandId::showTimeline)->trigger();
}

// Returns true if reports are open and none of them is of this run.
bool LiveController::hasOtherReports(const Run& run) const
{
    const auto& entries = m_parts.reports.reports().entries();
    return !entries.empty() && std::ranges::none_of(entries, [&](const ReportEntry& entry) {
        return entry.identity && entry.identity->whole.run.value == run.record().id;
    });
}

// Opens the workspace with the collected reports of the run: in place of its live data, otherwise in a
// workspace of its own. The workspace of another run is never changed.
void LiveController::openCollected(const std::filesystem::path& path, bool isRequested)
{
    const Run* const run = m_runs.run();
    const bool isLive = m_watch.hasPieces() && run != nullptr && m_watch.run() == run->record().id;
    m_awaited = isLive ? path : std::filesystem::path();
    const auto open = [this, path, isRequested] {
        m_parts.opening.open({path}, isRequested);
        if (!isRequested) emit collected(RunPageController::Results::open);
    };
    if (isLive) {
        m_save.keepWorkFor(path);
    } else if (m_watch.hasPieces() || (run != nullptr && hasOtherReports(*run))) {
        // No question interrupts the user because a run has ended.
        if (!isRequested && m_save.isModified()) return emit collected(RunPageController::Results::closed);
        return m_save.startNew(open);
    }
    open();
}

// Returns why the live data cannot be saved; empty if there is none.
QString LiveController::obstacle() const
{
    if (!m_watch.hasPieces()) return {};
    return m_watch.isWatching() && !m_watch.figures().hasEnded
               ? tr("The run is still being recorded. Markers and notes are saved with the collected reports.")
               : tr("Live data can't be saved. Open the collected reports of the run; markers and notes are "
                    "saved with them.");
}

void LiveController::setFollowing(bool follows)
{
    m_follows = follows;
    m_glide.reset();
    if (!follows) {
        m_frame.stop();
        m_parts.view.setMoving(false);
    }
    if (!follows) m_isNew = false; // when the user resumes following, the zoom is kept
    m_timeline.setFollowing(follows);
    if (follows) followNewest();
    showBadge();
}

// Shows the end of the data. Tables of the visible range are updated here, once per batch of data, and not
// with each frame of glide().
void LiveController::followNewest()
{
    if (!m_follows || !m_watch.hasPieces()) return m_frame.stop();
    const TimeRange whole = m_parts.reports.scene()->extent();
    if (whole.isEmpty()) return;
    if (!canGlide()) {
        m_frame.stop();
        m_glide.reset();
        return m_timeline.showAtOnce(rangeUpTo(whole.end));
    }
    const Duration now{m_clock.nsecsElapsed()};
    m_glide.setNewest(whole.end, now);
    m_timeline.showAtOnce(rangeUpTo(m_glide.edgeAt(now)));
    if (!m_frame.isActive()) m_frame.start(kFrame_ms);
}

bool LiveController::canGlide() const
{
    return m_watch.isWatching() && m_timeline.canGlide();
}

// Shows one frame. The next one is started only after this one was painted, and after at least as much time
// as this one took, so that the movement uses at most half a core.
void LiveController::glide()
{
    if (!m_follows || !m_watch.hasPieces() || !canGlide() || !m_glide.isMoving()) return;
    QElapsedTimer cost;
    cost.start();
    const TimeRange range = rangeUpTo(m_glide.edgeAt({m_clock.nsecsElapsed()}));
    // A movement of less than half a pixel of the widest screen is not visible.
    constexpr int64_t kSteps = 8192;
    if ((range.end - m_parts.view.visible().end).ns > range.length().ns / kSteps) m_timeline.glideTo(range);
    m_frame.start(std::max(kFrame_ms, static_cast<int>(2 * cost.elapsed())));
}

// Returns the range that ends at this time at the current zoom. Initially shows the last ten seconds.
TimeRange LiveController::rangeUpTo(TraceTime end)
{
    const Duration available = end - m_parts.reports.scene()->extent().begin;
    const Duration length =
        m_isNew ? Duration{std::clamp<int64_t>(available.ns, 1, kShown_ns)} : m_parts.view.visible().length();
    if (available.ns >= kShown_ns) m_isNew = false;
    return {end - length, end};
}

void LiveController::handleOpened(const std::filesystem::path& path)
{
    if (path != m_awaited || !m_watch.hasPieces()) return;
    m_watch.stop();
    m_watch.clear(true);
    setFollowing(false);
}

void LiveController::showBadge()
{
    const LiveFigures figures = m_watch.figures();
    const bool isShown = m_watch.isWatching() || m_watch.hasPieces();
    QStringList more;
    if (figures.processes > 0)
        more << tr("%n capture(s) watched", nullptr, static_cast<int>(figures.processes));
    if (figures.recordFiles > 0)
        more << tr("%n file(s) with sample records watched", nullptr, static_cast<int>(figures.recordFiles));
    if (figures.processes + figures.recordFiles > 0)
        more << tr("%1 received")
                    .arg(QString::fromStdString(byteText(static_cast<int64_t>(figures.received_bytes))));
    if (figures.skippedBlocks > 0)
        more << tr("%n block(s) skipped; the collected reports will include them", nullptr,
                   static_cast<int>(figures.skippedBlocks));
    if (figures.skippedRecords_bytes > 0)
        more << tr("%1 of sample records skipped; the collected reports will include them")
                    .arg(
                        QString::fromStdString(byteText(static_cast<int64_t>(figures.skippedRecords_bytes))));
    for (const std::string& why : figures.awaitedReasons)
        more << tr("not connected yet: %1").arg(QString::fromStdString(why));
    more << tr("Click here or press End in the timeline to follow the newest data.");
    m_parts.strip.setLive(isShown ? liveText(figures, m_follows) : QString(), more.join('\n'), m_follows);
    for (const MessageWithHelp& problem : figures.problems) {
        if (std::ranges::find(m_reported, problem) != m_reported.end()) continue;
        m_reported.push_back(problem);
        m_parts.notice.showNotice(NoticeBar::Tone::warn,
                                  tr("Live view: %1").arg(QString::fromStdString(problem.text)), {},
                                  problem.help);
    }
}

} // namespace lockstep
