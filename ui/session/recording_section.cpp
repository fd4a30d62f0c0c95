// SPDX-License-Identifier: Apache-2.0
#include <QVBoxLayout>

#include "core/session/session_config.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_message.h"
#include "ui/session/role_matrix_model.h"
#include "ui/session/role_matrix_view.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_section.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

bool isNemo(const SessionConfig& config)
{
    return config.framework == Framework::nemoRl;
}

bool isCaptured(const SessionConfig& config)
{
    return config.tool == Tool::capture;
}

bool hasSteps(const SessionConfig& config)
{
    return isVerl(config) || isNemo(config) || isCaptured(config);
}

bool joinsSteps(const SessionConfig& config)
{
    return isVerl(config) || isCaptured(config);
}

bool hasStages(const SessionConfig& config)
{
    return isCaptured(config) || (isVerl(config) && config.tool.value_or(Tool::nsys) == Tool::nsys);
}

bool hasSavePath(const SessionConfig& config)
{
    return isVerl(config) || config.tool == Tool::torch || config.tool == Tool::torchMemory ||
           config.tool == Tool::npu || config.tool == Tool::precisionDebugger || isCaptured(config);
}

// A single host has no other clock to compare with.
bool hasPeers(const SessionConfig& config)
{
    return config.hosts.size() > 1 || config.launcher.kind == LauncherKind::slurm;
}

} // namespace

RecordingSection::RecordingSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("What is recorded"), parent), m_roles(new RoleMatrixModel(draft, this))
{
    addLine("tool", tr("Tool"),
            new FieldButtons(draft, "tool",
                             {{"", tr("none")},
                              {"nsys", "nsys"},
                              {"torch", "torch"},
                              {"torch_memory", "torch_memory"},
                              {"npu", "npu"},
                              {"precision_debugger", "precision"},
                              {"capture", tr("Lockstep capture")}}));
    const auto text = [&](const char* path, const QString& caption, FieldText kind, const QString& hint) {
        auto* const edit = new FieldEdit(draft, path, kind, hint);
        SectionLine* const line = addLine(path, caption, edit);
        connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
        return line;
    };
    m_conditional.add(text("steps", tr("Steps"), FieldText::numbers, tr("2, 5, 10-12; the first step is 1")),
                      hasSteps);
    m_conditional.add(
        addLine(
            "profile_continuous_steps", tr("Adjacent steps"),
            new FieldButtons(draft, "profile_continuous_steps",
                             {{"", tr("default")}, {"true", tr("one report")}, {"false", tr("one each")}})),
        joinsSteps);
    m_conditional.add(
        addLine("discrete", tr("Stages"),
                new FieldButtons(
                    draft, "discrete",
                    {{"", tr("default")}, {"true", tr("one report each")}, {"false", tr("together")}})),
        hasStages);
    m_conditional.add(
        text("save_path", tr("Save path"), FieldText::text, tr("on every node, e.g. /tmp/profile")),
        hasSavePath);
    SectionLine* const clocks =
        addLine("clock_exchange", tr("Host clocks"),
                new FieldButtons(
                    draft, "clock_exchange",
                    {{"", tr("default")}, {"on", tr("compared over UDP")}, {"off", tr("not compared")}}));
    clocks->setToolTip(
        tr("During the run, the hosts compare their clocks every 5 s, using a token of the run. Events "
           "on different hosts are then aligned within microseconds. On by default."));
    m_conditional.add(clocks, hasPeers);
    m_conditional.add(
        text("nemo_rl.worker_patterns", tr("Workers"), FieldText::words, "'*policy*' '*generation*'"),
        isNemo);
    m_matrix = new RoleMatrixView(*m_roles, this); // created here, because Tab follows the creation order
    SectionLine* const roles = addLine("roles", tr("Roles and ranks"), m_matrix);
    m_matrix->setProperty("sheet", true);
    m_matrix->setToolTip(tr("Space toggles the selected cells. Drag to fill cells. Type ranks as 0, 8-15."));
    m_conditional.add(roles, isVerl);
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
    m_conditional.refresh(draft().config());
}

} // namespace lockstep
