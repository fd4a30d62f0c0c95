// SPDX-License-Identifier: Apache-2.0
// SavedWorkspace: the file behind the workspace in a window: which one it is, whether the window holds
// changes that it does not, and the saving. UI thread; the writing itself is off it.
#pragma once

#include "ui/async/save_job.h"

namespace lockstep {

class SavedWorkspace : public QObject {
    Q_OBJECT

  public:
    explicit SavedWorkspace(Workers workers, QObject* parent = nullptr, SaveJob::Write write = {});

    const std::filesystem::path& path() const { return m_path; } // empty: no file yet
    // "run.lockstep"; empty without a file.
    QString name() const;
    bool isModified() const { return m_isModified; }
    // True when closing would lose something: changes to a file, or without one what was set by hand.
    bool needsSaving() const { return m_isModified && (m_isHandMade || !m_path.empty()); }
    const std::filesystem::path& savingTo() const { return m_job.path(); } // the last that was asked for
    bool isSaving() const { return m_job.isRunning(); }
    std::optional<double> fraction() const { return m_job.fraction(); }

    // The window now shows what this file holds.
    void setFile(const std::filesystem::path& path, const SaveJob::Sections& sections);
    // Nothing is open any more.
    void forget();
    // isHandMade: by the user's own hand, not merely by opening or hiding reports.
    void noteChange(bool isHandMade);
    // Sections of the file that this build does not know are kept.
    void save(const std::filesystem::path& path, const Workspace& workspace,
              const SaveJob::Sections& sections);
    void cancel() { m_job.cancel(); }

  signals:
    void changed(); // the file or whether it is modified
    void progressed();
    // When it went well the file is this one from now on.
    void finished(const std::filesystem::path& path, const Status& outcome);

  private:
    void takeSaved(const std::filesystem::path& path, const Status& outcome);

    std::filesystem::path m_path;
    SaveJob::Sections m_sections; // as in the file, or being written
    bool m_isModified = false;
    bool m_isHandMade = false;
    bool m_hasChangedSince = false; // while the file is being written
    SaveJob m_job;
};

} // namespace lockstep
