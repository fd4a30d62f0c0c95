// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QAction>
#include <QHeaderView>
#include <QTableView>

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/session_config.h"
#include "core/session/typed_value.h"
#include "ui/session/hosts_model.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

bool isSlurm(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::slurm;
}

bool isLocal(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::local;
}

bool hasAgents(const SessionConfig& config)
{
    return config.launcher.kind != LauncherKind::rayJob;
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
    return !isRayJob(config) && recipeFor(config.framework).usesRay;
}

bool runsScript(const SessionConfig& config)
{
    return !config.script.empty();
}

bool isTorchrun(const SessionConfig& config)
{
    return recipeFor(config.framework).usesTorchrun;
}

// The checks compare the steps with the length of the run.
bool countsSteps(const SessionConfig& config)
{
    return hasRoles(config) || recipeFor(config.framework).data != nullptr || config.tool == Tool::nsys ||
           config.tool == Tool::capture;
}

// The eras of the framework's recipe; "" is that of the checkout.
std::vector<FieldChoice> eraChoices(const SessionConfig& config)
{
    std::vector<FieldChoice> choices{{"", {}}};
    const LaunchRecipe* const recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return choices;
    for (const RecipeEra& era : recipe->eras)
        choices.push_back({era.id, QString::fromStdString(era.id)});
    return choices;
}

bool hasEras(const SessionConfig& config)
{
    return eraChoices(config).size() > 2;
}

// HostTable is a table in which Tab skips the column with the result of the last query.
class HostTable : public QTableView {
  public:
    using QTableView::QTableView;

  protected:
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override
    {
        const QModelIndex next = QTableView::moveCursor(action, modifiers);
        if (next.column() != HostsModel::check) return next;
        if (action == MovePrevious) return next.siblingAtColumn(HostsModel::agentFolder);
        if (action != MoveNext) return next;
        const QModelIndex below = next.sibling(next.row() + 1, HostsModel::name);
        return below.isValid() ? below : next;
    }
};

// Frameworks by name; programs that are none of them last.
std::vector<FieldChoice> frameworkChoices()
{
    std::vector<FieldChoice> choices, others;
    for (const Recipe& recipe : recipes()) {
        const std::string word(enumName(recipe.framework));
        const QString label =
            QString::fromUtf8(recipe.label.data(), static_cast<qsizetype>(recipe.label.size()));
        const bool isOther = recipe.framework == Framework::torchrun || recipe.framework == Framework::plain;
        (isOther ? others : choices).push_back({word, label});
    }
    std::ranges::sort(choices, [](const FieldChoice& a, const FieldChoice& b) {
        return a.label.compare(b.label, Qt::CaseInsensitive) < 0;
    });
    choices.insert(choices.end(), others.begin(), others.end());
    return choices;
}

} // namespace

ProgramSection::ProgramSection(SessionDraft& draft, QWidget* parent)
    : FormSection(draft, tr("What runs"), parent), m_hosts(new HostsModel(draft, this)),
      m_table(new HostTable(this))
{
    addText("name", tr("Name"), FieldText::text);
    addLine("framework", tr("Framework"), new FieldCombo(draft, "framework", frameworkChoices()));
    m_eras = new FieldCombo(draft, "schema", eraChoices(draft.config()));
    addConditional(addLine("schema", tr("Version"), m_eras), hasEras);
    addLauncherLines();
    addHosts();
    addCommandLines();
    connect(&draft, &SessionDraft::changed, this, &ProgramSection::refresh);
    refresh();
}

void ProgramSection::setTheme(const Theme& theme)
{
    m_hosts->setTheme(theme);
}

void ProgramSection::addLauncherLines()
{
    addButtons(
        "launcher.kind", tr("Launcher"),
        {{"ssh", "SSH"}, {"slurm", "Slurm"}, {"ray_job", tr("Ray job")}, {"local", tr("this machine")}});
    addText("launcher.login_node", tr("Login node"), FieldText::text, isSlurm);
    addText("launcher.slurm_options", tr("sbatch options"), FieldText::words, isSlurm);
    addText("launcher.batch_script", tr("Batch script"), FieldText::text, isSlurm);
    addText("launcher.agent_folder", tr("Agent folder"), FieldText::text, hasAgents, BrowseFor::folder);
    addText("launcher.hold_nodes_s", tr("Hold nodes"), FieldText::whole, isSlurm);
    addText("launcher.ray_address", tr("Ray address"), FieldText::text, isRayJob);
    addButtons("launcher.start_ray", tr("Start Ray"), switchChoices(), mayStartRay);
    addText("torchrun.processes_per_node", tr("Per node"), FieldText::whole, isTorchrun);
    addText("torchrun.options", tr("torchrun options"), FieldText::words, isTorchrun);
}

void ProgramSection::addHosts()
{
    m_table->setModel(m_hosts);
    m_table->setProperty("sheet", true);
    m_table->setTabKeyNavigation(false);
    m_table->setEditTriggers(QAbstractItemView::AnyKeyPressed | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::DoubleClicked);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(scaledPixels(26));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(HostsModel::gpus, QHeaderView::Fixed);
    m_table->horizontalHeader()->setSectionResizeMode(HostsModel::check, QHeaderView::ResizeToContents);
    m_table->setColumnWidth(HostsModel::gpus, scaledPixels(84));
    m_table->horizontalHeader()->setHighlightSections(false);
    addHostActions();
    // The height does not depend on the number of hosts, so that the form does not move while hosts are
    // typed.
    const auto fit = [this] {
        constexpr int kRows = 4;
        m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + kRows * scaledPixels(26) +
                                3);
    };
    addLine("hosts", tr("Hosts"), m_table);
    m_table->setToolTip(
        tr("Hosts in rank order. Tab goes to the next cell. Insert adds a host above, Delete removes one."));
    fit();
    QMetaObject::invokeMethod(m_table, fit,
                              Qt::QueuedConnection); // the style sets the height of the header later
    m_table->setCurrentIndex(m_hosts->index(0, 0));
}

void ProgramSection::addHostActions()
{
    const auto add = [this](const QString& text, QKeySequence key, auto&& run) {
        auto* const action = new QAction(text, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        m_table->addAction(action);
        connect(action, &QAction::triggered, m_table, run);
    };
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    add(tr("Insert host above"), Qt::Key_Insert, [this] {
        const QModelIndex name = m_table->currentIndex().siblingAtColumn(HostsModel::name);
        if (!name.isValid()) return;
        m_hosts->insertHost(name.row());
        m_table->setCurrentIndex(name);
        m_table->edit(name);
    });
    add(tr("Remove host"), QKeySequence::Delete,
        [this] { m_hosts->removeHost(m_table->currentIndex().row()); });
}

void ProgramSection::addCommandLines()
{
    addText("working_folder", tr("Folder"), FieldText::text, {}, BrowseFor::folder);
    addText("command", tr("Command"), FieldText::words, {}, BrowseFor::program);
    addText("script", tr("Script"), FieldText::text, {}, BrowseFor::file);
    addText("args", tr("Arguments"), FieldText::words, runsScript);
    addText("environment", tr("Environment"), FieldText::assignments);
    addText("secret", tr("Secrets"), FieldText::list);
    addText("container", tr("Container"), FieldText::words);
    addText("other_overrides", tr("Overrides"), FieldText::words);
    addText("total_steps", tr("Total steps"), FieldText::whole, countsSteps);
}

void ProgramSection::showHost(const QString& path)
{
    const QModelIndex cell = m_hosts->cellOf(path.toStdString());
    if (cell.isValid()) m_table->setCurrentIndex(cell);
}

void ProgramSection::refresh()
{
    refreshLines();
    const SessionConfig& config = draft().config();
    m_table->setColumnHidden(HostsModel::address, isLocal(config));
    m_table->setColumnHidden(HostsModel::agentFolder, !startsOnHosts(config));
    m_eras->setChoices(eraChoices(config));
    if (!hasEras(config)) return setRemark({});
    setRemark(tr("settings of %1 %2")
                  .arg(QString::fromStdString(recipeFor(config.framework).data->label),
                       QString::fromStdString(eraName(config, eraOf(draft())))));
}

} // namespace lockstep
