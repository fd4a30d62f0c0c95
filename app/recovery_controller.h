// SPDX-License-Identifier: Apache-2.0
// RecoveryController: what a window does against its own end: it keeps what is not saved in a Journal, offers
// what an earlier window that was killed left in its own, and the reports of crashes. Nothing comes back and
// nothing goes unless somebody says so. Belongs to the MainWindow, which makes it for programs, not for
// tests. UI thread; files are read and written off it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <QTimer>

#include "app/crash_report.h"
#include "app/journal.h"
#include "app/unsaved_work.h"
#include "app/window_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class SaveController;
class SessionDraft;

class RecoveryController : public QObject {
    Q_OBJECT

  public:
    struct Folders {
        std::filesystem::path journals = journalFolder(), crashes = crashFolder();
    };

    // save outlives it.
    RecoveryController(const WindowParts& parts, SaveController& save, Folders folders);
    ~RecoveryController() override;

    // The program ends in order: what was kept of this window goes.
    void end();
    // Something is looked for, written, or comes back.
    bool isBusy() const;
    // What this window has not saved.
    UnsavedWork unsavedNow() const;

  private:
    struct Left {
        Journal journal;
        UnsavedWork work;
    };
    struct Found {
        std::vector<std::shared_ptr<Left>> left; // newest first
        QStringList damaged;                     // sentences
        std::vector<CrashReport> crashes;        // newest first
    };

    static Found look(const Folders& folders);
    void takeFound(const Found& found);
    void connectChanges();
    void keep();
    void offer();
    void offerWork(const std::shared_ptr<Left>& left);
    void offerCrash(const CrashReport& report);
    void answered(const std::function<void()>& what);
    void showCrash(const CrashReport& report);
    void restore(const std::shared_ptr<Left>& left);
    void restoreSession(const UnsavedWork& work);
    void takeReopened();
    std::optional<ReportKey> keyOf(const UnsavedReport& report) const;

    WindowParts m_parts;
    SaveController& m_save;
    SessionDraft& m_session;
    const Folders m_folders;
    std::shared_ptr<Found> m_found = std::make_shared<Found>(); // not answered yet
    bool m_isOffering = false;
    LatestJob<std::shared_ptr<Found>> m_look;
    std::shared_ptr<Journal> m_journal = std::make_shared<Journal>(); // of this window, once it is needed
    LatestJob<void> m_write;
    UnsavedWork m_kept; // as last written
    bool m_cannotKeep = false;
    QTimer m_rest;                                // since the first change that is not kept
    QTimer m_reopening;                           // looks whether all reports are there again
    std::shared_ptr<Left> m_back;                 // what comes back
    std::vector<std::shared_ptr<Left>> m_settled; // came back: they go once this window's own journal has it
};

} // namespace lockstep
