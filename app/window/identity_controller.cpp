// SPDX-License-Identifier: Apache-2.0
#include "app/window/identity_controller.h"

#include <algorithm>

#include <QFileDialog>

#include "app/window/identity_csv.h"
#include "app/window/settings.h"
#include "app/window/workspace_controller.h"
#include "core/base/output_file.h"
#include "core/trace/identity.h"

namespace lockstep {

namespace {

// Returns the identities set by the user after `cells` are changed. Error: invalid (a cell has an invalid
// value).
Result<std::map<ReportKey, Identity>> statedBy(const std::vector<IdentityCell>& cells,
                                               const std::string& source,
                                               const std::vector<ReportEntry>& entries)
{
    std::map<ReportKey, Identity> stated;
    for (const IdentityCell& cell : cells) {
        const auto entry = std::ranges::find(entries, cell.key, &ReportEntry::key);
        if (entry == entries.end() || !entry->identity) continue;
        Identity& identity = stated.try_emplace(cell.key, entry->identity->stated).first->second;
        LOCKSTEP_TRY(editPart(identity, cell.part, cell.text, source));
    }
    return stated;
}

} // namespace

IdentityController::IdentityController(IdentityPanel& panel, const WindowParts& parts)
    : QObject(&panel), m_panel(panel), m_parts(parts), m_read([this](const Result<NamedFile>& file) {
          if (!file) return m_panel.setMessage(QString::fromStdString(file.error().message));
          handleFile(*file);
      }),
      m_write([this](const Status& written) {
          m_panel.setMessage(written ? QString() : QString::fromStdString(written.error().message));
      })
{
    connect(&panel, &IdentityPanel::editRequested, this, [this](const std::vector<IdentityCell>& cells) {
        state(cells, "manual edit",
              cells.size() == 1 ? tr("change %1").arg(cells[0].part.c_str())
                                : tr("change %1 cells").arg(cells.size()));
    });
    connect(&panel, &IdentityPanel::importRequested, this, &IdentityController::promptForFile);
    connect(&panel, &IdentityPanel::exportRequested, this, &IdentityController::promptToExportFile);
}

void IdentityController::state(const std::vector<IdentityCell>& cells, const std::string& source,
                               const QString& text)
{
    const auto stated = statedBy(cells, source, m_parts.reports.reports().entries());
    m_panel.setMessage(stated ? QString()
                              : tr("%1; nothing was changed").arg(stated.error().message.c_str()));
    if (!stated) return;
    m_parts.document.edit(text, [&stated](Work& work) {
        for (const auto& [key, identity] : *stated) {
            work.stated.erase(key);
            if (identity != Identity()) work.stated.emplace(key, identity);
        }
    });
}

void IdentityController::importFile(const std::filesystem::path& path)
{
    const QString name = QString::fromStdString(path.filename().string());
    m_panel.setMessage(tr("Reading %1\u2026").arg(name));
    m_read.start([path, name](const Progress&) -> Result<NamedFile> {
        return NamedFile{name, LOCKSTEP_TRY(IdentityFile::read(path))};
    });
}

void IdentityController::handleFile(const NamedFile& file)
{
    const size_t ofProcesses = file.identities.processLineCount();
    const QString skippedFiles =
        ofProcesses == 0 ? QString()
                         : tr("%1: skipped the lines with a pid (%2), because this "
                              "table identifies reports, not single processes. To use them, start "
                              "Lockstep with --identity %1")
                               .arg(file.name)
                               .arg(ofProcesses);
    const std::vector<IdentityCell> cells = cellsOf(file.identities, m_parts.reports.reports().entries());
    if (cells.empty()) {
        return m_panel.setMessage(skippedFiles.isEmpty()
                                      ? tr("%1 contains nothing new for the open reports").arg(file.name)
                                      : skippedFiles);
    }
    state(cells, file.name.toStdString(), tr("import %1").arg(file.name));
    if (!skippedFiles.isEmpty() && m_panel.message().isEmpty()) m_panel.setMessage(skippedFiles);
}

void IdentityController::exportFile(const std::filesystem::path& path)
{
    m_write.start([path, text = identityCsv(m_parts.reports.reports().entries())](const Progress&) -> Status {
        OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
        file.write(text);
        return file.commit();
    });
}

void IdentityController::promptForFile()
{
    auto* const dialog = new QFileDialog(&m_parts.window, tr("Import report identities"),
                                         m_parts.settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Identities (*.csv)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { importFile(file.toStdString()); });
    dialog->open();
}

void IdentityController::promptToExportFile()
{
    auto* const dialog = new QFileDialog(&m_parts.window, tr("Export identities"),
                                         m_parts.settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Identities (*.csv)"), tr("All files (*)")});
    dialog->setDefaultSuffix("csv");
    dialog->selectFile("identities.csv");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { exportFile(file.toStdString()); });
    dialog->open();
}

} // namespace lockstep
