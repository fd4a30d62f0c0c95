// SPDX-License-Identifier: Apache-2.0
// IdentityController: correcting whose reports are: the sheet's edits as undoable changes, and its file.
// Belongs to the IdentityPanel. UI thread.
#pragma once

#include <filesystem>

#include "app/identity_file.h"
#include "app/window_parts.h"
#include "ui/async/latest_job.h"
#include "ui/panels/identity_panel.h"

namespace lockstep {

class IdentityController : public QObject {
    Q_OBJECT

  public:
    // The panel owns it.
    IdentityController(IdentityPanel& panel, const WindowParts& parts);

    // The CSV of `--identity`: what it says of the open reports, as one change; and what is known of them.
    // Read and written off the UI thread; the newest wish counts, the panel tells how it went.
    void importFile(const std::filesystem::path& path);
    void exportFile(const std::filesystem::path& path);
    bool isBusy() const { return m_read.isRunning() || m_write.isRunning(); }

  private:
    struct NamedFile {
        QString name;
        IdentityFile identities;
    };

    void takeFile(const NamedFile& file);
    void state(const std::vector<IdentityCell>& cells, const std::string& source, const QString& text);
    void askForFile();
    void askToWriteFile();

    IdentityPanel& m_panel;
    WindowParts m_parts;
    LatestJob<NamedFile> m_read;
    LatestJob<void> m_write;
};

} // namespace lockstep
