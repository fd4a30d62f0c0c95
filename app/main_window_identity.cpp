// MainWindow: correcting whose reports are: the sheet's edits as undoable changes, and its file.
#include <QFileDialog>

#include "app/identity_csv.h"
#include "app/identity_edit.h"
#include "app/main_window.h"
#include "core/base/output_file.h"
#include "ui/panels/identity_panel.h"

namespace lockstep {

void MainWindow::connectIdentity()
{
    connect(m_identity, &IdentityPanel::editRequested, this, [this](const std::vector<IdentityCell>& cells) {
        stateIdentities(cells, "set by hand",
                        cells.size() == 1 ? QString("change of a %1").arg(cells[0].part.c_str())
                                          : QString("change of %1 cells").arg(cells.size()));
    });
    connect(m_identity, &IdentityPanel::importRequested, this, &MainWindow::askForIdentityFile);
    connect(m_identity, &IdentityPanel::exportRequested, this, &MainWindow::askToWriteIdentityFile);
    connect(m_actions->at(ActionId::showIdentities), &QAction::triggered, this,
            [this] { raiseDock(m_identity); });
}

void MainWindow::stateIdentities(const std::vector<IdentityCell>& cells, const std::string& source,
                                 const QString& text)
{
    const auto stated = IdentityEdit::statedBy(cells, source, m_controller.reports().entries());
    m_identity->setMessage(stated ? QString()
                                  : QString::fromStdString(stated.error().message) + "; nothing was changed");
    if (stated) m_undo.push(new IdentityEdit(m_controller, text, *stated));
}

void MainWindow::importIdentityFile(const std::filesystem::path& path)
{
    const auto file = IdentityFile::read(path);
    if (!file) return m_identity->setMessage(QString::fromStdString(file.error().message));
    const QString name = QString::fromStdString(path.filename().string());
    const size_t ofProcesses = file->processLineCount();
    const QString passedOver = ofProcesses == 0
                                   ? QString()
                                   : QString("%1: lines with a pid (%2) were passed over, as this "
                                             "sheet is of whole reports; start with --identity %1")
                                         .arg(name)
                                         .arg(ofProcesses);
    const std::vector<IdentityCell> cells = cellsOf(*file, m_controller.reports().entries());
    if (cells.empty()) {
        return m_identity->setMessage(
            passedOver.isEmpty() ? name + " says nothing of the open reports that is not known already"
                                 : passedOver);
    }
    stateIdentities(cells, path.filename().string(), "import of " + name);
    if (!passedOver.isEmpty() && m_identity->message().isEmpty()) m_identity->setMessage(passedOver);
}

void MainWindow::exportIdentityFile(const std::filesystem::path& path)
{
    const auto write = [&]() -> Result<bool> {
        OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
        file.write(identityCsv(m_controller.reports().entries()));
        return file.commit();
    };
    const Result<bool> written = write();
    m_identity->setMessage(written ? QString() : QString::fromStdString(written.error().message));
}

void MainWindow::askForIdentityFile()
{
    auto* const dialog = new QFileDialog(this, "Import identities", m_settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({"Identities (*.csv)", "All files (*)"});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { importIdentityFile(file.toStdString()); });
    dialog->open();
}

void MainWindow::askToWriteIdentityFile()
{
    auto* const dialog = new QFileDialog(this, "Export identities", m_settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({"Identities (*.csv)", "All files (*)"});
    dialog->setDefaultSuffix("csv");
    dialog->selectFile("identities.csv");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { exportIdentityFile(file.toStdString()); });
    dialog->open();
}

} // namespace lockstep
