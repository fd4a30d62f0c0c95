// SPDX-License-Identifier: Apache-2.0
// SavedWorkspace tracks the file of a window's workspace: the path, unsaved changes and saves in progress. UI
// thread; files are written on a worker.
#pragma once

#include "ui/async/save_job.h"
#include "ui/models/work_document.h"

namespace lockstep {

class SavedWorkspace : public QObject {
    Q_OBJECT

  public:
    // `document` outlives this object.
    SavedWorkspace(WorkDocument& document, Workers workers, QObject* parent = nullptr,
                   SaveJob::Write write = {});

    const std::filesystem::path& path() const { return m_path; } // empty if there is no file yet
    // Returns the file name, such as "run.lockstep", or an empty string.
    QString name() const;
    // Returns true if closing would lose changes to the file or, if there is no file, content by the user.
    bool needsSaving() const;
    const std::filesystem::path& savingTo() const { return m_job.path(); } // path of the last save
    bool isSaving() const { return m_job.isRunning(); }
    std::optional<double> fraction() const { return m_job.fraction(); }

    // Sets the file whose content the window now shows. The document counts as saved already.
    void setFile(const std::filesystem::path& path, const SaveJob::Sections& sections);
    // Forgets the file. Call when nothing is open anymore.
    void forget();
    // Notes a change that is not in the document: reports were opened or closed, or, if hasContent is true,
    // work was recovered that is in no file.
    void noteChange(bool hasContent);
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
    void handleSaved(const std::filesystem::path& path, const Status& outcome);

    WorkDocument& m_document;
    std::filesystem::path m_path;
    SaveJob::Sections m_sections; // sections that are in the file or are being written to it
    // The greatest change that is not in the document: since the last save, and since the start of a save.
    WorkDocument::Difference m_other = WorkDocument::Difference::none, m_otherWhileSaving = m_other;
    Work m_saving; // the work that is being written
    SaveJob m_job;
};

} // namespace lockstep
