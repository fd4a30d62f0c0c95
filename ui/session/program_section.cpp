// SPDX-License-Identifier: Apache-2.0
#include <QAction>
#include <QHeaderView>
#include <QTableView>

#include "core/session/session_config.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_message.h"
#include "ui/session/hosts_model.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_section.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

bool isSlurm(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::slurm;
}

bool hasAgents(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::slurm || config.launcher.kind == LauncherKind::ssh;
}

bool isRayJob(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::rayJob;
}

bool startsOnHosts(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::ssh || config.launcher.kind == LauncherKind::local;
}

bool mayStartRay(const SessionConfig& config)
{
    return startsOnHosts(config) && (isVerl(config) || config.framework == Framework::nemoRl);
}

bool isTorchrun(const SessionConfig& config)
{
    return config.framework == Framework::torchrun;
}

std::vector<FieldChoice> schemaChoices()
{
    std::vector<FieldChoice> choices{{"", ProgramSection::tr("same as the checkout")}};
    for (const std::string_view word : enumNames(VerlSchema{})) {
        const QString label = QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
        choices.push_back(
            {std::string(word), word == "head" ? ProgramSection::tr("newer than 0.9.0") : label});
    }
    return choices;
}

} // namespace

void ConditionalLines::refresh(const SessionConfig& config) const
{
    for (const auto& [line, condition] : m_lines)
        line->setVisible(condition(config));
}

ProgramSection::ProgramSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("What runs"), parent), m_hosts(new HostsModel(draft, this))
{
    addLine("name", tr("Name"),
            new FieldEdit(draft, "name", FieldText::text, tr("also names the folder of the run's files")));
    addLine("framework", tr("Framework"),
            new FieldButtons(draft, "framework",
                             {{"verl", "verl"},
                              {"verl_omni", "VeRL-Omni"},
                              {"nemo_rl", "NeMo RL"},
                              {"torchrun", "torchrun"},
                              {"command", tr("command")}}));
    m_conditional.add(addLine("schema", tr("verl version"), new FieldCombo(draft, "schema", schemaChoices())),
                      isVerl);
    addLauncherLines();
    addHosts();
    addCommandLines();
    connect(&draft, &SessionDraft::changed, this, &ProgramSection::refresh);
    refresh();
}

void ProgramSection::addLauncherLines()
{
    SessionDraft& d = draft();
    addLine(
        "launcher.kind", tr("Launcher"),
        new FieldButtons(
            d, "launcher.kind",
            {{"ssh", "SSH"}, {"slurm", "Slurm"}, {"ray_job", tr("Ray job")}, {"local", tr("this machine")}}));
    const auto text = [&](const char* path, const QString& caption, FieldText kind, const QString& hint,
                          ConditionalLines::Condition condition) {
        auto* const edit = new FieldEdit(d, path, kind, hint);
        SectionLine* const line = addLine(path, caption, edit);
        connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
        m_conditional.add(line, condition);
    };
    text("launcher.login_node", tr("Login node"), FieldText::text, tr("where sbatch runs"), isSlurm);
    text("launcher.slurm_options", tr("sbatch options"), FieldText::words, "--partition=gpu --time=02:00:00",
         isSlurm);
    text("launcher.batch_script", tr("Batch script"), FieldText::text,
         tr("a script that reads COMMAND from its environment, such as ray.sub"), isSlurm);
    text("launcher.agent_folder", tr("Agent folder"), FieldText::text,
         tr("on the hosts, for the agent and its runs; empty = in the home folder"), hasAgents);
    text("launcher.hold_nodes_s", tr("Hold nodes"), FieldText::whole,
         tr("seconds to keep the nodes after the program ends, to collect reports; empty = 600"), isSlurm);
    text("launcher.ray_address", tr("Ray address"), FieldText::text,
         tr("http://head:8265; empty = Ray's default"), isRayJob);
    m_conditional.add(addLine("launcher.start_ray", tr("Start Ray"),
                              new FieldButtons(d, "launcher.start_ray", switchChoices())),
                      mayStartRay);
    text("torchrun.processes_per_node", tr("Per node"), FieldText::whole,
         tr("processes; empty = one per GPU"), isTorchrun);
    text("torchrun.options", tr("torchrun options"), FieldText::words, "--rdzv-backend=c10d", isTorchrun);
}

void ProgramSection::addHosts()
{
    auto* const table = new QTableView(this);
    table->setModel(m_hosts);
    table->setProperty("sheet", true);
    table->setTabKeyNavigation(false);
    table->setEditTriggers(QAbstractItemView::AnyKeyPressed | QAbstractItemView::EditKeyPressed |
                           QAbstractItemView::DoubleClicked);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(scaledPixels(26));
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->horizontalHeader()->setSectionResizeMode(HostsModel::gpus, QHeaderView::Fixed);
    table->horizontalHeader()->setSectionResizeMode(HostsModel::check, QHeaderView::ResizeToContents);
    table->setColumnWidth(HostsModel::gpus, scaledPixels(92));
    table->horizontalHeader()->setHighlightSections(false);
    auto* const remove = new QAction(tr("Remove host"), table);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    table->addAction(remove);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(remove, &QAction::triggered, table,
            [this, table] { m_hosts->removeHost(table->currentIndex().row()); });
    const auto fit = [this, table] {
        constexpr int kMaxRows = 6;
        const int rows = std::min(m_hosts->rowCount(), kMaxRows);
        table->setFixedHeight(table->horizontalHeader()->sizeHint().height() + rows * scaledPixels(26) + 3);
    };
    connect(m_hosts, &QAbstractItemModel::rowsInserted, table, fit);
    connect(m_hosts, &QAbstractItemModel::rowsRemoved, table, fit);
    addLine("hosts", tr("Hosts"), table);
    fit();
    QMetaObject::invokeMethod(table, fit,
                              Qt::QueuedConnection); // the style sets the height of the header later
    table->setCurrentIndex(m_hosts->index(0, 0));
}

void ProgramSection::addCommandLines()
{
    const auto text = [this](const char* path, const QString& caption, FieldText kind, const QString& hint) {
        auto* const edit = new FieldEdit(draft(), path, kind, hint);
        SectionLine* const line = addLine(path, caption, edit);
        connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
        return line;
    };
    text("working_folder", tr("Folder"), FieldText::text, tr("on the hosts, e.g. /workspace/verl"));
    text("command", tr("Command"), FieldText::words, "python3 -m verl.trainer.main_ppo data.train_files=...");
    text("environment", tr("Environment"), FieldText::assignments, "NCCL_DEBUG=WARN NAME='a value'");
    text("container", tr("Container"), FieldText::words, tr("command prefix, e.g. docker exec trainer"));
    m_conditional.add(text("other_overrides", tr("Overrides"), FieldText::words,
                           tr("more Hydra overrides, appended last; quote each as '...'")),
                      isVerl);
}

void ProgramSection::refresh()
{
    m_conditional.refresh(draft().config());
    const SessionConfig& config = draft().config();
    if (!isVerl(config)) return setRemark({});
    const std::string_view layout = enumNames(VerlSchema{})[static_cast<size_t>(draft().schema())];
    const QString version = layout == "head"
                                ? tr("newer than 0.9.0")
                                : QString::fromUtf8(layout.data(), static_cast<qsizetype>(layout.size()));
    setRemark(tr("config layout for verl %1").arg(version));
}

} // namespace lockstep
