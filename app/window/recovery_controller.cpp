// SPDX-License-Identifier: Apache-2.0
#include "app/window/recovery_controller.h"

#include <algorithm>

#include <QDateTime>
#include <QElapsedTimer>
#include <QLocale>

#include "app/window/app_log.h"
#include "app/window/crash_dialog.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/save_controller.h"
#include "app/window/session_page_controller.h"
#include "core/session/session_yaml.h"
#include "ui/panels/notice_bar.h"
#include "ui/session/session_page.h"

namespace lockstep {

namespace {

constexpr int kRest_ms = 1'000;
constexpr int kTimesCost = 20; // collecting unsaved work takes at most a twentieth of the time
constexpr int kLook_ms = 50;

// Returns a list such as "3 markers, 2 corrected reports, a session".
QString descriptionOf(const UnsavedWork& work)
{
    QStringList words;
    if (work.hasWorkspace()) {
        const auto section = work.sections.find(kMarksSection);
        const auto marks = section != work.sections.end() ? parseMarks(section->second) : ReadMarks();
        const size_t count = marks ? marks->marks.size() : 0;
        if (count > 0) words << RecoveryController::tr("%n marker(s)", nullptr, static_cast<int>(count));
        const size_t corrected = work.corrections();
        if (corrected > 0)
            words << RecoveryController::tr("%n corrected report(s)", nullptr, static_cast<int>(corrected));
        words << (work.workspace.empty()
                      ? RecoveryController::tr("the view of %n report(s)", nullptr,
                                               static_cast<int>(work.reports.size()))
                      : RecoveryController::tr("changes to %1").arg(work.workspace.filename().c_str()));
    }
    if (work.hasSession())
        words << (work.sessionPath.empty()
                      ? RecoveryController::tr("a session")
                      : RecoveryController::tr("session %1").arg(work.sessionPath.filename().c_str()));
    return words.join(", ");
}

QString momentText(int64_t at_ns)
{
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(at_ns / 1'000'000), QLocale::ShortFormat);
}

} // namespace

RecoveryController::RecoveryController(const WindowParts& parts, SaveController& save, Folders folders)
    : QObject(&parts.window), m_parts(parts), m_save(save),
      m_session(parts.pages.at<SessionPageController>().page().draft()), m_folders(std::move(folders)),
      m_look([this](const Result<std::shared_ptr<Found>>& found) {
          if (found) handleFound(**found);
      }),
      m_write([this](const Status& written) {
          if (written) {
              for (const auto& left : std::exchange(m_settled, {}))
                  left->journal.remove();
          } else if (!std::exchange(m_hasWriteFailed, true)) {
              m_parts.notice.showNotice(NoticeBar::Tone::warn,
                                        tr("Unsaved work could not be recovered after a crash: %1")
                                            .arg(written.error().message.c_str()),
                                        {}, written.error().help);
          }
          if (!unsavedWork().isSameAs(m_writtenWork)) m_rest.start();
      })
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRest_ms);
    connect(&m_rest, &QTimer::timeout, this, &RecoveryController::keep);
    m_reopening.setInterval(kLook_ms);
    connect(&m_reopening, &QTimer::timeout, this, &RecoveryController::handleReopened);
    connectChanges();
    connect(&parts.notice, &NoticeBar::cleared, this, &RecoveryController::offer, Qt::QueuedConnection);
    QAction* const again = parts.actions.at(CommandId::recoverUnsaved);
    again->setEnabled(false);
    connect(again, &QAction::triggered, this, [this] {
        m_isOffering = false;
        offer();
    });
    m_look.start([folders = m_folders](const Progress&) -> Result<std::shared_ptr<Found>> {
        return std::make_shared<Found>(look(folders));
    });
}

RecoveryController::~RecoveryController() = default;

void RecoveryController::connectChanges()
{
    const auto changed = [this] {
        if (!m_rest.isActive()) m_rest.start();
    };
    connect(&m_save.saved(), &SavedWorkspace::changed, this, changed);
    connect(&m_session, &SessionDraft::changed, this, changed);
}

RecoveryController::Found RecoveryController::look(const Folders& folders)
{
    Found found;
    for (Journal& journal : Journal::takeAbandoned(folders.journals)) {
        const auto text = journal.read();
        auto work = text ? parseUnsavedWork(*text) : tl::make_unexpected(text.error());
        if (work) {
            found.left.push_back(
                std::make_shared<RecoverableWork>(RecoverableWork{std::move(journal), std::move(*work)}));
            continue;
        }
        const auto aside = journal.setAside();
        const std::string where = aside ? aside->string() : journal.folder().string();
        found.damaged.push_back(
            {tr("Cannot read the unsaved work from an earlier window: %1. The data is in %2.")
                 .arg(work.error().message.c_str(), where.c_str())
                 .toStdString(),
             work.error().help});
    }
    found.crashes = pendingCrashReports(folders.crashes);
    return found;
}

void RecoveryController::handleFound(const Found& found)
{
    *m_found = found;
    for (const MessageWithHelp& sentence : found.damaged)
        qCWarning(appLog, "%s", sentence.text.c_str());
    offer();
}

// Offers the next unanswered item, unless the notice bar shows a different notice.
void RecoveryController::offer()
{
    const bool isAny = !m_found->damaged.empty() || !m_found->left.empty() || !m_found->crashes.empty();
    m_parts.actions.at(CommandId::recoverUnsaved)->setEnabled(isAny);
    if (!isAny || m_back != nullptr || !m_parts.notice.isEmpty()) return;
    if (!m_found->damaged.empty()) {
        const MessageWithHelp sentence = m_found->damaged.front();
        const auto forget = [this] { m_found->damaged.erase(m_found->damaged.begin()); };
        return m_parts.notice.showNotice(NoticeBar::Tone::bad, QString::fromStdString(sentence.text),
                                         {{tr("Dismiss"), [this, forget] { answered(forget); }}},
                                         sentence.help);
    }
    if (!m_found->left.empty()) return offerWork(m_found->left.front());
    offerCrash(m_found->crashes.front());
}

void RecoveryController::answered(const std::function<void()>& what)
{
    what();
    offer();
}

void RecoveryController::offerWork(const std::shared_ptr<RecoverableWork>& left)
{
    const auto forget = [this] { m_found->left.erase(m_found->left.begin()); };
    m_parts.notice.showNotice(NoticeBar::Tone::warn,
                              tr("Lockstep closed unexpectedly on %1; unsaved: %2.")
                                  .arg(momentText(left->work.at_ns), descriptionOf(left->work)),
                              {{tr("Restore"),
                                [this, left, forget] {
                                    answered([&] {
                                        forget();
                                        restore(left);
                                    });
                                }},
                               {tr("Delete"),
                                [this, left, forget] {
                                    answered([&] {
                                        left->journal.remove();
                                        forget();
                                    });
                                }},
                               // Keep the journal; it is offered again at the next start.
                               {tr("Later"), [this, forget] { answered(forget); }}});
}

void RecoveryController::offerCrash(const CrashReport& report)
{
    const auto forget = [this] { m_found->crashes.erase(m_found->crashes.begin()); };
    const size_t others = m_found->crashes.size() - 1;
    const QString what = QString::fromStdString(report.heading);
    m_parts.notice.showNotice(
        NoticeBar::Tone::warn,
        (others == 0 ? tr("%1. A report was saved.").arg(what)
                     : tr("%1. A report was saved. Other crash reports: %2.").arg(what).arg(others)),
        {{tr("Show"), [this, report, forget] { answered([&] { forget(), showCrash(report); }); }},
         {tr("Delete"),
          [this, report, forget] {
              answered([&] {
                  std::error_code ignored;
                  std::filesystem::remove(report.path, ignored);
                  forget();
              });
          }},
         {tr("Later"), [this] { answered([this] { m_found->crashes.clear(); }); }}});
}

void RecoveryController::showCrash(const CrashReport& report)
{
    showCrashReport(m_parts.window, report, knownSecrets(m_session.config()));
}

UnsavedWork RecoveryController::unsavedWork() const
{
    UnsavedWork work;
    if (m_save.saved().needsSaving()) {
        work.workspace = m_save.saved().path();
        work.sections = m_save.currentSections();
        std::map<std::filesystem::path, size_t> counts;
        for (const ReportEntry& entry : m_parts.reports.reports().entries()) {
            if (entry.state != ReportState::open) continue;
            work.reports.push_back({entry.path, entry.container, counts[entry.path]++,
                                    entry.identity ? entry.identity->stated : Identity()});
        }
    }
    if (m_session.isModified()) {
        work.sessionPath = m_session.path();
        work.session = yamlFromSession(m_session.config());
    }
    return work;
}

void RecoveryController::keep()
{
    if (m_write.isRunning() || m_back != nullptr) return m_rest.start(); // try again later
    QElapsedTimer cost;
    cost.start();
    UnsavedWork now = unsavedWork();
    m_rest.setInterval(std::max(kRest_ms, kTimesCost * static_cast<int>(cost.elapsed())));
    hideInCrashReports(knownSecrets(m_session.config()));
    if (now.isSameAs(m_writtenWork) && m_settled.empty()) return;
    m_writtenWork = now;
    now.at_ns = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
    m_write.start([now, journal = m_journal, below = m_folders.journals](const Progress&) -> Status {
        const bool isAny = now.hasWorkspace() || now.hasSession();
        if (!isAny) return journal->isHeld() ? journal->clear() : Status();
        if (!journal->isHeld()) *journal = LOCKSTEP_TRY(Journal::begin(below));
        return journal->write(unsavedWorkText(now));
    });
}

void RecoveryController::restore(const std::shared_ptr<RecoverableWork>& left)
{
    m_back = left;
    if (left->work.hasSession()) restoreSession(left->work);
    std::vector<std::filesystem::path> paths;
    for (const UnsavedReport& report : left->work.reports) {
        const auto& path = report.container.empty() ? report.path : report.container;
        if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
    if (!paths.empty()) m_parts.opening.open(paths);
    m_reopening.start();
}

void RecoveryController::restoreSession(const UnsavedWork& work)
{
    const Result<SessionConfig> config = sessionFromYaml(work.session);
    if (config) return m_session.restoreUnsaved(*config, work.sessionPath);
    m_found->damaged.push_back(
        {tr("Cannot read the unsaved session: %1").arg(config.error().message.c_str()).toStdString(),
         config.error().help});
}

std::optional<ReportKey> RecoveryController::keyOf(const UnsavedReport& report) const
{
    size_t nth = 0;
    for (const ReportEntry& entry : m_parts.reports.reports().entries()) {
        if (entry.state != ReportState::open || entry.path != report.path) continue;
        if (nth++ == report.nth) return entry.key;
    }
    return std::nullopt;
}

// Restores the rest once all reports that can be opened are open.
void RecoveryController::handleReopened()
{
    if (m_parts.reports.isBusy()) return;
    m_reopening.stop();
    const std::shared_ptr<RecoverableWork> left = std::exchange(m_back, nullptr);
    std::vector<ReportKey> keys;
    std::map<ReportKey, Identity> stated;
    for (const UnsavedReport& report : left->work.reports) {
        const auto key = keyOf(report);
        if (!key) continue;
        keys.push_back(*key);
        if (report.stated != Identity()) stated[*key] = report.stated;
    }
    const size_t missing = left->work.reports.size() - keys.size();
    if (left->work.hasWorkspace()) m_save.restoreUnsaved(left->work.sections, keys, stated, missing == 0);
    // If a report is missing, keep the journal, because the file may reappear.
    if (missing == 0) m_settled.push_back(left);
    m_rest.start();
    if (missing > 0) {
        m_parts.notice.showNotice(
            NoticeBar::Tone::warn,
            tr("%1 of %2 reports could not be reopened. Their corrections and the view were not "
               "restored and will be offered again at the next start.")
                .arg(missing)
                .arg(left->work.reports.size()));
    } else if (m_parts.notice.isEmpty()) {
        m_parts.notice.showNotice(NoticeBar::Tone::quiet,
                                  tr("Unsaved work restored. Save the workspace or session now."));
    }
}

bool RecoveryController::isBusy() const
{
    return m_look.isRunning() || m_write.isRunning() || m_back != nullptr;
}

void RecoveryController::end()
{
    m_rest.stop();
    m_write.cancel();
    m_journal->remove();
    for (const auto& left : m_settled)
        left->journal.remove();
}

} // namespace lockstep
