// SPDX-License-Identifier: Apache-2.0
// RecoveryController protects unsaved work from crashes. It writes the unsaved work of its window to a
// Journal, and offers to restore the journals of killed programs and to show their crash reports. It restores
// and deletes only on request. Owned by the MainWindow, which creates the controller in the program but not
// in tests. UI thread; files are read and written off the UI thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <QTimer>

#include "app/cli/crash_report.h"
#include "app/cli/journal.h"
#include "app/cli/unsaved_work.h"
#include "app/window/window_parts.h"
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

    // `save` outlives the controller.
    RecoveryController(const WindowParts& parts, SaveController& save, Folders folders);
    ~RecoveryController() override;

    // Removes this window's journal. Call when the program ends normally.
    void end();
    // Returns true while journals are searched or written, or while work is being restored.
    bool isBusy() const;
    // Returns the unsaved work of this window.
    UnsavedWork unsavedWork() const;

  private:
    struct RecoverableWork {
        Journal journal;
        UnsavedWork work;
    };
    struct Found {
        std::vector<std::shared_ptr<RecoverableWork>> left; // newest first
        std::vector<MessageWithHelp> damaged;               // sentences about journals that cannot be read
        std::vector<CrashReport> crashes;                   // newest first
    };

    static Found look(const Folders& folders);
    void handleFound(const Found& found);
    void connectChanges();
    void keep();
    void offer();
    void offerWork(const std::shared_ptr<RecoverableWork>& left);
    void offerCrash(const CrashReport& report);
    void answered(const std::function<void()>& what);
    void showCrash(const CrashReport& report);
    void restore(const std::shared_ptr<RecoverableWork>& left);
    void restoreSession(const UnsavedWork& work);
    void handleReopened();
    std::optional<ReportKey> keyOf(const UnsavedReport& report) const;

    WindowParts m_parts;
    SaveController& m_save;
    SessionDraft& m_session;
    const Folders m_folders;
    std::shared_ptr<Found> m_found = std::make_shared<Found>(); // offers that the user has not answered yet
    bool m_isOffering = false;
    LatestJob<std::shared_ptr<Found>> m_look;
    std::shared_ptr<Journal> m_journal =
        std::make_shared<Journal>(); // journal of this window; its folder is created when first needed
    LatestJob<void> m_write;
    UnsavedWork m_writtenWork; // unsaved work that was last written to the journal
    bool m_hasWriteFailed = false;
    QTimer m_rest;                           // started by the first change that is not in the journal
    QTimer m_reopening;                      // polls until all reports are reopened
    std::shared_ptr<RecoverableWork> m_back; // work being restored
    std::vector<std::shared_ptr<RecoverableWork>>
        m_settled; // restored journals; removed once this window's journal contains their work
};

} // namespace lockstep
