// SPDX-License-Identifier: Apache-2.0
// IdentityController applies edits of the Identities panel as undoable changes, and imports and exports the
// identity file. Owned by the IdentityPanel. UI thread.
#pragma once

#include <filesystem>

#include "app/cli/identity_file.h"
#include "app/window/window_parts.h"
#include "ui/async/latest_job.h"
#include "ui/panels/identity_panel.h"

namespace lockstep {

class IdentityController : public QObject {
    Q_OBJECT

  public:
    // The panel owns the controller.
    IdentityController(IdentityPanel& panel, const WindowParts& parts);

    // Import the CSV file of `--identity` for the open reports as one change, or export the identities of the
    // open reports. Files are read and written off the UI thread; a newer call replaces an older one. The
    // panel shows the result.
    void importFile(const std::filesystem::path& path);
    void exportFile(const std::filesystem::path& path);
    bool isBusy() const { return m_read.isRunning() || m_write.isRunning(); }

  private:
    struct NamedFile {
        QString name;
        IdentityFile identities;
    };

    void handleFile(const NamedFile& file);
    void state(const std::vector<IdentityCell>& cells, const std::string& source, const QString& text);
    void promptForFile();
    void promptToExportFile();

    IdentityPanel& m_panel;
    WindowParts m_parts;
    LatestJob<NamedFile> m_read;
    LatestJob<void> m_write;
};

} // namespace lockstep
