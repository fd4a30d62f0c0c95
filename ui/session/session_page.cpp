// SPDX-License-Identifier: Apache-2.0
#include "ui/session/session_page.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/elided_label.h"
#include "ui/session/preview_sections.h"
#include "ui/session/session_sections.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QScrollArea* scrollableColumn(const std::vector<QWidget*>& widgets, bool isLastStretched)
{
    auto* const content = new QWidget;
    auto* const column = new QVBoxLayout(content);
    const int margin = scaledPixels(14);
    column->setContentsMargins(margin, margin, margin, margin);
    column->setSpacing(scaledPixels(12));
    for (QWidget* widget : widgets)
        column->addWidget(widget, isLastStretched && widget == widgets.back() ? 1 : 0);
    if (!isLastStretched) column->addStretch(1);
    auto* const area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

} // namespace

SessionPage::SessionPage(QWidget* parent)
    : QWidget(parent), m_file(new ElidedLabel(this)), m_facts(new ElidedLabel(this)),
      m_equivalent(new ElidedLabel(this)), m_writes(new QLabel(this)),
      m_reading([this](const Result<ApplyFile>& apply) { take(apply); }),
      m_saving([this](const Result<ApplyFile>& apply) { handleSaved(apply); })
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* const split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(makeForm());
    split->addWidget(makePreview());
    split->setSizes({scaledPixels(620), scaledPixels(380)});
    split->setStretchFactor(0, 62);
    split->setStretchFactor(1, 38);
    auto* const footer = new QWidget(this);
    footer->setProperty("panel", true);
    footer->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), scaledPixels(4));
    m_writes->setObjectName("writes");
    m_writes->setWordWrap(true);
    m_writes->setProperty("muted", true);
    m_equivalent->setProperty("muted", true);
    m_equivalent->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_equivalent->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    line->addWidget(m_writes, 1);
    line->addWidget(m_equivalent, 1);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QWidget* const header = makeHeader();
    column->addWidget(header);
    m_banner = new PageBanner(this, header);
    connect(m_banner, &PageBanner::helpRequested, this, &SessionPage::helpRequested);
    column->addWidget(split, 1);
    column->addWidget(footer);
    for (QWidget* const editor : findChildren<QWidget*>()) {
        if (editor->acceptDrops()) editor->installEventFilter(this);
    }
    connect(m_findings, &FindingsSection::fieldRequested, this, &SessionPage::goToField);
    connect(&m_draft, &SessionDraft::changed, this, &SessionPage::refresh);
    refresh();
}

// Destroys the editors before the draft, because they use the draft when they lose the focus during
// destruction.
SessionPage::~SessionPage()
{
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

QWidget* SessionPage::makeHeader()
{
    auto* const header = new QWidget(this);
    header->setProperty("panel", true);
    header->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(header);
    line->setContentsMargins(scaledPixels(16), scaledPixels(6), scaledPixels(16), scaledPixels(6));
    line->setSpacing(scaledPixels(8));
    m_file->setProperty("strong", true);
    m_facts->setProperty("muted", true);
    line->addWidget(m_file, 2);
    line->addWidget(m_facts, 3);
    const auto add = [&](const QString& text, const QString& tooltip) {
        auto* const button = new QToolButton(header);
        button->setText(text);
        button->setToolTip(tooltip);
        line->addWidget(button);
        return button;
    };
    QToolButton* const fresh = add(tr("New"), tr("Create a session from a template"));
    auto* const templates = new QMenu(fresh);
    fillTemplateMenu(*templates);
    fresh->setMenu(templates);
    fresh->setPopupMode(QToolButton::InstantPopup);
    connect(add(tr("Open…"), tr("Open a saved session")), &QToolButton::clicked, this,
            &SessionPage::promptToOpen);
    QToolButton* const import =
        add(tr("Import"), tr("Create a session from a launch script, a YAML file or a launch command"));
    auto* const sources = new QMenu(import);
    for (const auto& [text, source] : {std::pair(tr("Launch script…"), ImportSource::script),
                                       std::pair(tr("Configuration file…"), ImportSource::configuration),
                                       std::pair(tr("Command line or overrides…"), ImportSource::overrides)})
        sources->addAction(text, this, [this, from = source] { promptToImport(from); });
    sources->addSeparator();
    sources->addAction(tr("Open session file…"), this, &SessionPage::promptToOpen);
    import->setMenu(sources);
    import->setPopupMode(QToolButton::InstantPopup);
    connect(add(tr("Check against hosts…"),
                tr("Check this session against host information saved by lockstep-agent probe")),
            &QToolButton::clicked, this, &SessionPage::promptForFacts);
    m_save = add(tr("Save"), {});
    connect(m_save, &QToolButton::clicked, this, [this] { save(); });
    m_check = add(tr("Check hosts"), {}); // refresh() sets the tooltip
    m_check->setObjectName("checkHosts");
    connect(m_check, &QToolButton::clicked, this, &SessionPage::hostCheckRequested);
    m_cancel = add(tr("Cancel"), tr("Stop querying the hosts"));
    m_cancel->setObjectName("cancelCheck");
    connect(m_cancel, &QToolButton::clicked, this, &SessionPage::hostCheckCanceled);
    m_run = new QPushButton(header);
    m_run->setProperty("primary", true);
    line->addWidget(m_run);
    connect(m_run, &QPushButton::clicked, this, &SessionPage::runRequested);
    return header;
}

QWidget* SessionPage::makeForm()
{
    m_runs = new ProgramSection(m_draft, this);
    m_recorded = new RecordingSection(m_draft, this);
    m_tool = new ToolSection(m_draft, this);
    m_role = new RoleSection(m_draft, this);
    connect(m_recorded, &RecordingSection::roleChosen, m_role, &RoleSection::showRole);
    QScrollArea* const area = scrollableColumn({m_runs, m_recorded, m_tool, m_role}, false);
    area->setMinimumWidth(scaledPixels(480));
    return area;
}

QWidget* SessionPage::makePreview()
{
    m_findings = new FindingsSection(m_draft, this);
    auto* const forecast = new ForecastSection(m_draft, this);
    m_plan = new PlanSection(m_draft, this);
    connect(m_plan, &PlanSection::dryRunRequested, this, &SessionPage::dryRunRequested);
    QScrollArea* const area = scrollableColumn({m_findings, forecast, m_plan}, true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setMinimumWidth(scaledPixels(320));
    area->setProperty("panel", true);
    area->setAttribute(Qt::WA_StyledBackground);
    return area;
}

void SessionPage::setTheme(const Theme& theme)
{
    m_runs->setTheme(theme);
    m_recorded->setTheme(theme);
    m_tool->setTheme(theme);
    m_plan->setTheme(theme);
}

void SessionPage::goToField(const QString& path)
{
    const QString section = path.section('.', 0, 0);
    if (section == "roles") {
        for (const Role role : kRoles) {
            const std::string_view word = enumNames(Role{})[static_cast<size_t>(role)];
            if (path.section('.', 1, 1) ==
                QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size())))
                m_role->showRole(role);
        }
    }
    if (section == "hosts") m_runs->showHost(path);
    for (const QString& name : {path, section}) {
        QWidget* const editor = findChild<QWidget*>(name);
        if (editor == nullptr || !editor->isVisible()) continue;
        editor->setFocus(Qt::OtherFocusReason);
        return;
    }
}

void SessionPage::refresh()
{
    const QString path = QString::fromStdString(m_draft.path().string());
    const QString name = QString::fromStdString(m_draft.path().filename().string());
    m_file->setText((path.isEmpty() ? tr("not saved yet") : name) + (m_draft.isModified() ? " •" : ""));
    m_file->setToolTip(m_draft.isModified() ? tr("%1\nmodified since the last save").arg(path) : path);
    const size_t hosts = m_draft.facts().size();
    m_equivalent->setText(tr("equivalent:  lockstep --plan %1").arg(path.isEmpty() ? "SESSION.yaml" : name));
    const size_t planned = m_draft.plan() ? m_draft.plan()->hosts.size() : 0;
    m_run->setText(planned == 0 ? tr("Launch")
                   : planned == 1 && m_draft.config().hosts.empty()
                       ? tr("Launch on this machine")
                       : tr("Launch on %n host(s)", nullptr, static_cast<int>(planned)));
    const bool isRefused = !m_draft.state().refused.empty();
    if (!isRefused && m_showsRefusal) setMessage({});
    const QString refusal = tr("A field has a text that is not accepted. Correct or revert it first.");
    m_run->setEnabled(m_draft.plan().has_value() && m_waiting.isEmpty() && !isRefused);
    m_run->setToolTip(isRefused ? refusal : tr("Query the hosts, check the session, and launch it"));
    m_save->setEnabled(!isRefused);
    m_save->setToolTip(isRefused ? refusal : tr("Save this session as YAML"));
    m_check->setEnabled(m_draft.plan().has_value() && m_waiting.isEmpty());
    m_cancel->setVisible(!m_waiting.isEmpty());
    m_writes->setText(installedText());
    m_check->setToolTip(tr("Query every host over SSH and check the session against the responses.") + "\n" +
                        m_writes->text());
    if (!m_waiting.isEmpty()) {
        m_facts->setText(m_waiting);
    } else {
        m_facts->setText(
            hosts == 0 ? tr("hosts not queried: only the session itself is checked")
                       : tr("checked against information from %n host(s)", nullptr, static_cast<int>(hosts)));
    }
    m_facts->setToolTip(m_facts->text());
    m_equivalent->setToolTip(m_equivalent->text());
}

bool SessionPage::checkTexts(const QString& action)
{
    if (m_draft.state().refused.empty()) return true;
    const auto& [path, refused] = *m_draft.state().refused.begin();
    setMessage(tr("%1: \"%2\" in %3 is not accepted. Correct or revert the text first.")
                   .arg(action, QString::fromStdString(refused.text).left(60),
                        QString::fromStdString(refused.caption)));
    m_showsRefusal = true;
    goToField(QString::fromStdString(path));
    return false;
}

// States what Check hosts and Launch copy to a host, see AgentClient::install() and installLibrary().
QString SessionPage::installedText() const
{
    const SessionConfig& config = m_draft.config();
    const auto named = [](const char* file, int64_t size_bytes) {
        return size_bytes > 0 ? QString("%1 (%2)").arg(file, byteQText(size_bytes)) : QString(file);
    };
    QString files = named("lockstep-agent", m_agent_bytes);
    if (config.tool == Tool::capture && config.capture.library.empty())
        files = tr("%1 and %2").arg(files, named("liblockstep_capture.so", m_library_bytes));
    const bool isOwn =
        !config.launcher.agentFolder.empty() ||
        std::ranges::any_of(config.hosts, [](const Host& host) { return !host.agentFolder.empty(); });
    return isOwn
               ? tr("Check hosts and Launch copy %1 to the agent folder of each host, once per version; nothing "
                    "else is written before the launch")
                     .arg(files)
               : tr("Check hosts and Launch copy %1 to ~/.cache/lockstep on each host, once per version; nothing "
                    "else is written before the launch")
                     .arg(files);
}

void SessionPage::setInstalledSizes(int64_t agent_bytes, int64_t library_bytes)
{
    m_agent_bytes = agent_bytes;
    m_library_bytes = library_bytes;
    refresh();
}

void SessionPage::setWaiting(const QString& text)
{
    m_waiting = text;
    m_draft.setChecking(!text.isEmpty());
    refresh();
}

} // namespace lockstep
