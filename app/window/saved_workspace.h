// SPDX-License-Identifier: Apache-2.0
// SavedWorkspace tracks the file of a window's workspace: the path, unsaved changes and saves in progress. UI
// thread; files are written on a worker.
#pragma once

#include "ui/async/save_job.h"

namespace lockstep {

class SavedWorkspace : public QObject {
    Q_OBJECT

  public:
    explicit SavedWorkspace(Workers workers, QObject* parent = nullptr, SaveJob::Write write = {});

    const std::filesystem::path& path() const { return m_path; } // empty if there is no file yet
    // Returns the file name, such as "run.lockstep", or an empty string.
    QString name() const;
    bool isModified() const { return m_all.hasAny; }
    // Returns true if closing would lose changes to the file or, if there is no file, manual changes.
    bool needsSaving() const { return m_all.hasAny && (m_all.hasUserEdit || !m_path.empty()); }
    const std::filesystem::path& savingTo() const { return m_job.path(); } // path of the last save
    bool isSaving() const { return m_job.isRunning(); }
    std::optional<double> fraction() const { return m_job.fraction(); }

    // Sets the file whose content the window now shows.
    void setFile(const std::filesystem::path& path, const SaveJob::Sections& sections);
    // Forgets the file. Call when nothing is open anymore.
    void forget();
    // isUserEdit: true if the user edited something, false if reports were only opened or hidden.
    void noteChange(bool isUserEdit);
    // The same for a change that a step of the undo stack made or reverted.
    void noteStep(bool isUserEdit);
    // Call if all steps since the last save are undone: only other changes remain.
    void noteStepsUndone();
    // Saves the workspace. Preserves sections of the file that this build does not know.
    void save(const std::filesystem::path& path, const Workspace& workspace,
              const SaveJob::Sections& sections);
    void cancel() { m_job.cancel(); }

  signals:
    void changed(); // the file or its modified state changed
    void progressed();
    // Emitted when a save ends. After a success, `path` is the current file.
    void finished(const std::filesystem::path& path, const Status& outcome);

  private:
    struct Changes {
        bool hasAny = false, hasUserEdit = false;
    };

    void handleSaved(const std::filesystem::path& path, const Status& outcome);

    std::filesystem::path m_path;
    SaveJob::Sections m_sections;         // sections that are in the file or are being written to it
    Changes m_all;                        // since the last save
    Changes m_lasting;                    // those that undo does not revert
    bool m_hasChangedWhileSaving = false; // true if something changed while the file is being written
    SaveJob m_job;
};

} // namespace lockstep
