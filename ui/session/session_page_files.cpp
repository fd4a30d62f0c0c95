// SPDX-License-Identifier: Apache-2.0
// SessionPage: opening, saving and importing files.
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMimeData>

#include "core/session/import_text.h"
#include "core/session/recipes/recipe.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"
#include "ui/session/import_dialog.h"
#include "ui/session/session_page.h"

namespace lockstep {

namespace {

Result<std::string> readText(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) return makeError(ErrorKind::io, file.errorString().toStdString());
    // Reads at most one byte more than the size limit of a session, so that the parser rejects larger files.
    return file.read(static_cast<qint64>(kYamlMaxBytes) + 1).toStdString();
}

bool isScriptName(const std::filesystem::path& path)
{
    const std::string extension = path.extension().string();
    return extension == ".sh" || extension == ".bash" || extension == ".sbatch" || extension == ".slurm";
}

QFileDialog* fileDialog(QWidget* parent, const QString& title, const QStringList& filters)
{
    auto* const dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(filters);
    return dialog;
}

QStringList yamlFilters()
{
    return {SessionPage::tr("Sessions (*.yaml *.yml)"), SessionPage::tr("All files (*)")};
}

} // namespace

void SessionPage::setMessage(const QString& message, HelpTopic help, const PageBanner::Action& action)
{
    m_showsRefusal = false;
    m_banner->setMessage(message, help, action);
}

void SessionPage::begin(LatestJob<ApplyFile>& job, const std::filesystem::path& file,
                        std::function<Result<ApplyFile>()> work)
{
    job.start([file = file.string(), work = std::move(work)](const Progress&) -> Result<ApplyFile> {
        Result<ApplyFile> apply = work();
        if (apply || apply.error().message.find(file) != std::string::npos) return apply;
        return tl::make_unexpected(withContext(apply.error(), file));
    });
}

void SessionPage::take(const Result<ApplyFile>& apply)
{
    if (!apply) return setMessage(QString::fromStdString(apply.error().message), apply.error().help);
    setMessage({});
    (*apply)();
}

void SessionPage::handleSaved(const Result<ApplyFile>& apply)
{
    const std::function<void()> then = std::exchange(m_afterSaving, {});
    take(apply);
    if (apply && then && !m_draft.isModified()) then();
}

void SessionPage::openFile(const std::filesystem::path& path)
{
    begin(m_reading, path, [this, path]() -> Result<ApplyFile> {
        return ApplyFile([this, path, config = LOCKSTEP_TRY(loadSession(path))] {
            m_draft.handleOpened(config, path);
            emit fileUsed(path);
        });
    });
}

void SessionPage::saveTo(const std::filesystem::path& path)
{
    if (!checkTexts(tr("Couldn't save the session"))) return;
    begin(m_saving, path, [this, path, config = m_draft.config()]() -> Result<ApplyFile> {
        LOCKSTEP_TRY(saveSession(config, path));
        // Read the saved file again to get the positions of the values in that file.
        const Result<SessionConfig> reloaded = loadSession(path);
        return ApplyFile([this, path, saved = reloaded && *reloaded == config ? *reloaded : config] {
            m_draft.handleSaved(saved, path);
            emit fileUsed(path);
        });
    });
}

Result<SessionPage::ApplyFile> SessionPage::importedFile(const std::filesystem::path& path, std::string text)
{
    std::error_code ignored;
    const ImportOptions options{std::filesystem::canonical(path, ignored).string(), readSourcedFile, {}};
    ImportedSession session = LOCKSTEP_TRY(importText(text, options));
    return ApplyFile([this, path, options, text = std::move(text), session = std::move(session)] {
        if (session.unknown.empty()) return m_draft.take(session);
        const auto read = [options](std::string_view script, const TextPairs& values) {
            ImportOptions given = options;
            given.values = values;
            return importText(script, given);
        };
        const QString name = QString::fromStdString(path.filename().string());
        auto* const dialog = new ImportDialog(tr("Import %1").arg(name), {}, read, this);
        connect(dialog, &ImportDialog::imported, this,
                [this](const ImportedSession& imported) { m_draft.take(imported); });
        dialog->showFile(QString::fromStdString(text), session);
        dialog->open();
    });
}

void SessionPage::importFile(const std::filesystem::path& path)
{
    begin(m_reading, path,
          [this, path]() -> Result<ApplyFile> { return importedFile(path, LOCKSTEP_TRY(readText(path))); });
}

void SessionPage::openOrImport(const std::filesystem::path& path)
{
    begin(m_reading, path, [this, path]() -> Result<ApplyFile> {
        std::string text = LOCKSTEP_TRY(readText(path));
        if (isScriptName(path)) {
            const auto read = importText(text);
            return ApplyFile([this, path, framework = read ? read->config.framework : Framework::plain] {
                runScript(path, framework);
            });
        }
        const bool isYaml = path.extension() == ".yaml" || path.extension() == ".yml";
        if (!isYaml || isConfigurationText(text)) return importedFile(path, std::move(text));
        return ApplyFile([this, path, config = LOCKSTEP_TRY(loadSession(path))] {
            m_draft.handleOpened(config, path);
            emit fileUsed(path);
        });
    });
}

// The text of a script only proposes the framework, because nothing of the script is interpreted for the run.
void SessionPage::runScript(const std::filesystem::path& path, Framework framework)
{
    SessionConfig config;
    config.name = path.stem().string();
    config.framework = framework;
    config.script = std::filesystem::absolute(path).string();
    config.workingFolder = std::filesystem::absolute(path).parent_path().string();
    const bool isBatch = path.extension() == ".sbatch" || path.extension() == ".slurm";
    if (isBatch) config.launcher.kind = LauncherKind::slurm;
    m_draft.startNew(config);
    const std::string_view label = recipeFor(framework).label;
    setMessage(
        tr("The session runs %1 as it is, for %2. Select the framework if that is wrong. Importing reads the "
           "script into the form instead.")
            .arg(QString::fromStdString(path.filename().string()),
                 QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size()))),
        HelpTopic::none, {tr("Import"), [this, path] { importFile(path); }});
}

// Leaves dropped files to the window, which opens them; editors would insert their addresses as text.
bool SessionPage::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::Drop)
        return QWidget::eventFilter(watched, event);
    auto* const drag = static_cast<QDropEvent*>(event); // the other two events are also QDropEvents
    if (!drag->mimeData()->hasUrls()) return QWidget::eventFilter(watched, event);
    drag->ignore();
    return true;
}

void SessionPage::loadFacts(const std::filesystem::path& path)
{
    begin(m_reading, path, [this, path]() -> Result<ApplyFile> {
        return ApplyFile([this, path, facts = LOCKSTEP_TRY(loadHostFacts(path))] {
            m_draft.applyFacts(facts);
            if (facts.empty() || !m_draft.facts().empty()) return;
            setMessage(tr("%1 has no information about a host of this session; its first host is %2.")
                           .arg(QString::fromStdString(path.filename().string()),
                                QString::fromStdString(facts.front().host)));
        });
    });
}

QList<std::pair<QString, QString>> SessionPage::templates()
{
    QList<std::pair<QString, QString>> frameworks, others;
    for (const QString& file : QDir(":/lockstep/session_templates").entryList({"*.yaml"}, QDir::Files)) {
        const QString name = file.chopped(5);
        const std::optional<Framework> framework = enumFromWord<Framework>(name.toStdString());
        if (!framework) continue;
        const std::string_view label = recipeFor(*framework).label;
        if (recipeFor(*framework).data != nullptr) {
            frameworks.emplace_back(QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size())),
                                    name);
        } else {
            others.prepend({*framework == Framework::plain ? tr("Plain command") : name, name});
        }
    }
    return frameworks + others;
}

void SessionPage::startFromTemplate(const QString& name)
{
    const QString resource = ":/lockstep/session_templates/" + name + ".yaml";
    QFile file(resource);
    if (!file.open(QIODevice::ReadOnly)) return setMessage(resource + ": " + file.errorString());
    const Result<SessionConfig> config = sessionFromYaml(file.readAll().toStdString());
    if (!config)
        return setMessage(resource + ": " + QString::fromStdString(config.error().message),
                          config.error().help);
    m_draft.startNew(*config);
    setMessage({});
}

void SessionPage::fillTemplateMenu(QMenu& menu)
{
    for (const auto& [label, name] : templates())
        menu.addAction(label, this, [this, one = name] { startFromTemplate(one); });
    menu.addSeparator();
    menu.addAction(tr("Empty"), this, [this] {
        m_draft.startNew({});
        setMessage({});
    });
}

void SessionPage::promptToOpen()
{
    QFileDialog* const dialog = fileDialog(this, tr("Open session"), yamlFilters());
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { openFile(file.toStdString()); });
    dialog->open();
}

void SessionPage::save(std::function<void()> then)
{
    m_afterSaving = {};
    if (!checkTexts(tr("Couldn't save the session"))) return;
    m_afterSaving = std::move(then);
    if (m_draft.path().empty()) {
        promptToSave();
    } else {
        saveTo(m_draft.path());
    }
}

void SessionPage::promptToSave()
{
    if (!checkTexts(tr("Couldn't save the session"))) return;
    QFileDialog* const dialog = fileDialog(this, tr("Save session"), yamlFilters());
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix("yaml");
    const std::string& name = m_draft.config().name;
    dialog->selectFile(QString::fromStdString(
        m_draft.path().empty() ? (name.empty() ? "session" : name) + ".yaml" : m_draft.path().string()));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { saveTo(file.toStdString()); });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSaving = {}; });
    dialog->open();
}

void SessionPage::promptToImport(ImportSource source)
{
    const auto promptForFile = [this](const QString& title, const QString& filter) {
        QFileDialog* const dialog = fileDialog(this, title, {filter, tr("All files (*)")});
        connect(dialog, &QFileDialog::fileSelected, this,
                [this](const QString& file) { importFile(file.toStdString()); });
        dialog->open();
    };
    const auto promptForText = [this](const QString& title, const char* example) {
        const auto read = [](std::string_view text, const TextPairs& values) {
            return importText(text, {{}, {}, values});
        };
        auto* const dialog = new ImportDialog(title, example, read, this);
        connect(dialog, &ImportDialog::imported, this,
                [this](const ImportedSession& imported) { m_draft.take(imported); });
        dialog->open();
    };
    switch (source) {
    case ImportSource::script:
        return promptForFile(tr("Import launch script"), tr("Launch scripts (*.sh *.bash *.sbatch *.slurm)"));
    case ImportSource::configuration:
        return promptForFile(tr("Import configuration file"), tr("YAML (*.yaml *.yml)"));
    case ImportSource::overrides:
        return promptForText(tr("Import command line"), "NAME=VALUE python3 -m trainer.main key=value \\\n  "
                                                        "other.key='[2,5]' ...");
    }
}

void SessionPage::promptForFacts()
{
    QFileDialog* const dialog = fileDialog(this, tr("Host information from lockstep-agent probe"),
                                           {tr("Host information (*.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { loadFacts(file.toStdString()); });
    dialog->open();
}

} // namespace lockstep
