// SPDX-License-Identifier: Apache-2.0
#include <QItemSelectionModel>

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/session_config.h"
#include "ui/session/role_matrix_model.h"
#include "ui/session/role_matrix_view.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"

namespace lockstep {

namespace {

bool isCaptured(const SessionConfig& config)
{
    return config.tool == Tool::capture;
}

bool hasNsysTool(const SessionConfig& config)
{
    return config.tool == Tool::nsys;
}

bool hasRecipe(const SessionConfig& config)
{
    return recipeFor(config.framework).data != nullptr;
}

// Returns true if the framework itself starts nsys, so that its recipe decides where the reports are.
bool startsNsysItself(const SessionConfig& config)
{
    const LaunchRecipe* const recipe = recipeFor(config.framework).data;
    return hasNsysTool(config) && recipe != nullptr && !recipe->startsNsys;
}

bool hasSteps(const SessionConfig& config)
{
    return hasRoles(config) || hasRecipe(config) || hasNsysTool(config) || isCaptured(config);
}

bool joinsSteps(const SessionConfig& config)
{
    return hasRoles(config) || (hasNsysTool(config) && !startsNsysItself(config)) || isCaptured(config);
}

bool hasStages(const SessionConfig& config)
{
    return isCaptured(config) || (hasRoles(config) && config.tool.value_or(Tool::nsys) == Tool::nsys);
}

bool hasSavePath(const SessionConfig& config)
{
    const LaunchRecipe* const recipe = recipeFor(config.framework).data;
    const bool isRead = recipe != nullptr && recipe->findSetting("save_path") != nullptr;
    return hasRoles(config) || (config.tool && (isRead || !startsNsysItself(config)));
}

// The clocks of several hosts are compared. On SSH, the line is shown for one host too, so that it does not
// appear while hosts are typed.
bool mayHavePeers(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::slurm || config.launcher.kind == LauncherKind::ssh ||
           config.hosts.size() > 1;
}

bool hasPeers(const SessionConfig& config)
{
    return config.hosts.size() > 1 || config.launcher.kind == LauncherKind::slurm;
}

} // namespace

RecordingSection::RecordingSection(SessionDraft& draft, QWidget* parent)
    : FormSection(draft, tr("What is recorded"), parent), m_roles(new RoleMatrixModel(draft, this))
{
    addButtons("tool", tr("Tool"),
               {{"", tr("none")},
                {"nsys", "nsys"},
                {"torch", "torch"},
                {"torch_memory", "torch_memory"},
                {"npu", "npu"},
                {"precision_debugger", "precision"},
                {"capture", tr("Lockstep capture")}});
    addText("steps", tr("Steps"), FieldText::numbers, hasSteps);
    addText("ranks", tr("Ranks"), FieldText::numbers,
            [](const SessionConfig& config) { return hasRecipe(config) && !hasRoles(config); });
    addButtons("profile_continuous_steps", tr("Continuous steps"),
               {{"", {}}, {"true", tr("on, one report")}, {"false", tr("off, one report each")}}, joinsSteps);
    addButtons("discrete", tr("Discrete"),
               {{"", {}}, {"true", tr("on, a report per stage")}, {"false", tr("off, whole steps")}},
               hasStages);
    addText("save_path", tr("Save path"), FieldText::text, hasSavePath, BrowseFor::folder);
    m_clocks =
        addButtons("clock_exchange", tr("Host clocks"),
                   {{"", {}}, {"on", tr("compared over UDP")}, {"off", tr("not compared")}}, mayHavePeers);
    m_clocks->setToolTip(
        tr("During the run, the hosts compare their clocks every 5 s, using a token of the run. Events "
           "on different hosts are then aligned within microseconds. A single host has no other clock to "
           "compare with."));
    m_matrix = new RoleMatrixView(*m_roles, this); // created here, because Tab follows the creation order
    SectionLine* const roles = addLine("roles", tr("Roles and ranks"), m_matrix);
    m_matrix->setProperty("sheet", true);
    m_matrix->setToolTip(tr("Space toggles the selected cells. Drag to fill cells. Type ranks as 0, 8-15."));
    addConditional(roles, hasRoles);
    connect(m_matrix->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.row() < RoleMatrixModel::kControllerRow)
                    emit roleChosen(kRoles[static_cast<size_t>(current.row())]);
            });
    connect(&draft, &SessionDraft::changed, this, &RecordingSection::refresh);
    refresh();
}

void RecordingSection::setTheme(const Theme& theme)
{
    m_matrix->setTheme(theme);
}

void RecordingSection::refresh()
{
    refreshLines();
    m_clocks->setEnabled(hasPeers(draft().config()));
}

} // namespace lockstep
