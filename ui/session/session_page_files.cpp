// SessionPage: opening, saving, importing.
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>

#include "core/session/import_text.h"
#include "core/session/session_yaml.h"
#include "core/session/yaml_tree.h"
#include "ui/session/import_dialog.h"
#include "ui/session/session_page.h"

namespace lockstep {

namespace {

Result<std::string> readText(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) return makeError(ErrorKind::io, file.errorString().toStdString());
    // One byte more than any session may have, so that the reader refuses what is too large.
    return file.read(static_cast<qint64>(kYamlMaxBytes) + 1).toStdString();
}

QFileDialog* fileDialog(QWidget* parent, const QString& title, const QStringList& filters)
{
    auto* const dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(filters);
    return dialog;
}

const QStringList kYamlFilters{"Sessions (*.yaml *.yml)", "All files (*)"};

} // namespace

void SessionPage::setMessage(const QString& message)
{
    m_message->setText(message);
    m_message->setVisible(!message.isEmpty());
}

void SessionPage::tell(const Status& outcome, const std::filesystem::path& file)
{
    if (outcome) return setMessage({});
    const QString reason = QString::fromStdString(outcome.error().message);
    const QString name = QString::fromStdString(file.string());
    setMessage(reason.contains(name) ? reason : name + ": " + reason);
}

void SessionPage::openFile(const std::filesystem::path& path)
{
    const Status opened = m_draft.open(path);
    tell(opened, path);
    if (opened) emit fileUsed(path);
}

void SessionPage::saveTo(const std::filesystem::path& path)
{
    const Status saved = m_draft.save(path);
    tell(saved, path);
    if (saved) emit fileUsed(path);
}

void SessionPage::importVerlFile(const std::filesystem::path& path)
{
    const Result<std::string> text = readText(path);
    if (!text) return tell(tl::make_unexpected(text.error()), path);
    const Result<ImportedSession> imported = importText(*text);
    if (!imported) return tell(tl::make_unexpected(imported.error()), path);
    m_draft.take(*imported);
    setMessage({});
}

void SessionPage::loadFacts(const std::filesystem::path& path)
{
    tell(m_draft.loadFacts(path), path);
}

void SessionPage::startFromTemplate(const QString& resource)
{
    QFile file(resource);
    if (!file.open(QIODevice::ReadOnly)) return setMessage(resource + ": " + file.errorString());
    const Result<SessionConfig> config = sessionFromYaml(file.readAll().toStdString());
    if (!config) return tell(tl::make_unexpected(config.error()), resource.toStdString());
    m_draft.startNew(*config);
    setMessage({});
}

void SessionPage::fillTemplateMenu(QMenu& menu)
{
    const QList<std::pair<QString, QString>> templates{{"verl", "verl"},
                                                       {"VeRL-Omni", "verl_omni"},
                                                       {"NeMo RL", "nemo_rl"},
                                                       {"torchrun", "torchrun"},
                                                       {"Plain command", "command"}};
    for (const auto& [label, name] : templates) {
        menu.addAction(label, this, [this, resource = ":/lockstep/session_templates/" + name + ".yaml"] {
            startFromTemplate(resource);
        });
    }
    menu.addSeparator();
    menu.addAction("Empty", this, [this] {
        m_draft.startNew({});
        setMessage({});
    });
}

void SessionPage::askToOpen()
{
    QFileDialog* const dialog = fileDialog(this, "Open a session", kYamlFilters);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { openFile(file.toStdString()); });
    dialog->open();
}

void SessionPage::save()
{
    if (m_draft.path().empty()) {
        askToSave();
    } else {
        saveTo(m_draft.path());
    }
}

void SessionPage::askToSave()
{
    QFileDialog* const dialog = fileDialog(this, "Save the session", kYamlFilters);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix("yaml");
    const std::string& name = m_draft.config().name;
    dialog->selectFile(QString::fromStdString(
        m_draft.path().empty() ? (name.empty() ? "session" : name) + ".yaml" : m_draft.path().string()));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { saveTo(file.toStdString()); });
    dialog->open();
}

void SessionPage::askToImportVerl()
{
    QFileDialog* const dialog =
        fileDialog(this, "Import a verl configuration", {"YAML (*.yaml *.yml)", "All files (*)"});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { importVerlFile(file.toStdString()); });
    dialog->open();
}

void SessionPage::askToImportOverrides()
{
    auto* const dialog = new ImportDialog("Import a command line",
                                          "python3 -m verl.trainer.main_ppo global_profiler.tool=nsys \\\n  "
                                          "global_profiler.steps='[2,5]' ...",
                                          importText, this);
    connect(dialog, &ImportDialog::imported, this, [this](const ImportedSession& it) { m_draft.take(it); });
    dialog->open();
}

void SessionPage::askToImportNrl()
{
    auto* const dialog =
        new ImportDialog("Import a NeMo RL launch",
                         "NRL_NSYS_PROFILE_STEP_RANGE=3:5 NRL_NSYS_WORKER_PATTERNS='*policy*' \\\n"
                         "  uv run examples/run_grpo.py ...",
                         importText, this);
    connect(dialog, &ImportDialog::imported, this, [this](const ImportedSession& it) { m_draft.take(it); });
    dialog->open();
}

void SessionPage::askForFacts()
{
    QFileDialog* const dialog = fileDialog(this, "Facts of the hosts, from lockstep-agent probe",
                                           {"Facts (*.json)", "All files (*)"});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { loadFacts(file.toStdString()); });
    dialog->open();
}

} // namespace lockstep
