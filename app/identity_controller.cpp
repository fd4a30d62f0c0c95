#include "app/identity_controller.h"

#include <QFileDialog>
#include <QUndoStack>

#include "app/identity_csv.h"
#include "app/identity_edit.h"
#include "app/settings.h"
#include "core/base/output_file.h"

namespace lockstep {

IdentityController::IdentityController(IdentityPanel& panel, const WindowParts& parts)
    : QObject(&panel), m_panel(panel), m_parts(parts)
{
    connect(&panel, &IdentityPanel::editRequested, this, [this](const std::vector<IdentityCell>& cells) {
        state(cells, "set by hand",
              cells.size() == 1 ? QString("change of a %1").arg(cells[0].part.c_str())
                                : QString("change of %1 cells").arg(cells.size()));
    });
    connect(&panel, &IdentityPanel::importRequested, this, &IdentityController::askForFile);
    connect(&panel, &IdentityPanel::exportRequested, this, &IdentityController::askToWriteFile);
}

void IdentityController::state(const std::vector<IdentityCell>& cells, const std::string& source,
                               const QString& text)
{
    const auto stated = IdentityEdit::statedBy(cells, source, m_parts.reports.reports().entries());
    m_panel.setMessage(stated ? QString()
                              : QString::fromStdString(stated.error().message) + "; nothing was changed");
    if (stated) m_parts.undo.push(new IdentityEdit(m_parts.reports, text, *stated));
}

void IdentityController::importFile(const std::filesystem::path& path)
{
    const auto file = IdentityFile::read(path);
    if (!file) return m_panel.setMessage(QString::fromStdString(file.error().message));
    const QString name = QString::fromStdString(path.filename().string());
    const size_t ofProcesses = file->processLineCount();
    const QString passedOver = ofProcesses == 0
                                   ? QString()
                                   : QString("%1: lines with a pid (%2) were passed over, as this "
                                             "sheet is of whole reports; start with --identity %1")
                                         .arg(name)
                                         .arg(ofProcesses);
    const std::vector<IdentityCell> cells = cellsOf(*file, m_parts.reports.reports().entries());
    if (cells.empty()) {
        return m_panel.setMessage(passedOver.isEmpty()
                                      ? name + " says nothing of the open reports that is not known already"
                                      : passedOver);
    }
    state(cells, path.filename().string(), "import of " + name);
    if (!passedOver.isEmpty() && m_panel.message().isEmpty()) m_panel.setMessage(passedOver);
}

void IdentityController::exportFile(const std::filesystem::path& path)
{
    const auto write = [&]() -> Status {
        OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
        file.write(identityCsv(m_parts.reports.reports().entries()));
        return file.commit();
    };
    const Status written = write();
    m_panel.setMessage(written ? QString() : QString::fromStdString(written.error().message));
}

void IdentityController::askForFile()
{
    auto* const dialog = new QFileDialog(&m_parts.window, "Import identities", m_parts.settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({"Identities (*.csv)", "All files (*)"});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { importFile(file.toStdString()); });
    dialog->open();
}

void IdentityController::askToWriteFile()
{
    auto* const dialog = new QFileDialog(&m_parts.window, "Export identities", m_parts.settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({"Identities (*.csv)", "All files (*)"});
    dialog->setDefaultSuffix("csv");
    dialog->selectFile("identities.csv");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { exportFile(file.toStdString()); });
    dialog->open();
}

} // namespace lockstep
