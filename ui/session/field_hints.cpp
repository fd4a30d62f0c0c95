// SPDX-License-Identifier: Apache-2.0
#include "ui/session/field_hints.h"

#include <algorithm>

#include <QCoreApplication>
#include <QHash>

#include "core/session/field_defaults.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"
#include "ui/session/field_editors.h"
#include "ui/session/session_draft.h"

namespace lockstep {

namespace {

class FieldHints {
    Q_DECLARE_TR_FUNCTIONS(FieldHints)

  public:
    explicit FieldHints(const SessionDraft& draft) : m_draft(draft), m_config(draft.config()) {}

    // Returns an explanation or example for a field without its role prefix; "" if its caption is enough.
    QString text(const QString& name) const
    {
        if (name == "working_folder") return folderText();
        if (name == "command") return commandText();
        if (name == "steps") return stepsText();
        if (name == "other_overrides") return overridesText();
        if (name == "save_path")
            return isLocal() ? QString() : tr("a folder on every node, e.g. %1").arg("/tmp/profile");
        if (name == "capture.ranks")
            return hasRoles(m_config) ? tr("the ranks of the roles") : tr("all ranks");
        static const QHash<QString, QString> kTexts = constantTexts();
        return kTexts.value(name);
    }

  private:
    bool isLocal() const { return m_config.launcher.kind == LauncherKind::local; }

    QString folderText() const
    {
        const bool isOther =
            m_config.framework == Framework::torchrun || m_config.framework == Framework::plain;
        const std::string name(isOther ? "train" : enumName(m_config.framework));
        const QString example = "/workspace/" + QString::fromStdString(name).replace('_', '-');
        return isLocal() ? tr("e.g. %1").arg(example) : tr("on the hosts, e.g. %1").arg(example);
    }

    QString commandText() const
    {
        switch (m_config.framework) {
        case Framework::torchrun:
            return tr("%1 (started by torchrun on every rank)").arg("train.py");
        case Framework::plain:
            return "python3 train.py";
        }
        const LaunchRecipe* const recipe = recipeFor(m_config.framework).data;
        return recipe != nullptr ? QString::fromStdString(bashLine(recipe->command)) : QString();
    }

    QString stepsText() const
    {
        const LaunchRecipe* const recipe = recipeFor(m_config.framework).data;
        if (recipe != nullptr && m_config.tool != Tool::capture) {
            return recipe->stepsHint.empty() ? tr("e.g. 11-12, as %1 counts them").arg(recipe->label.c_str())
                                             : QString::fromStdString(recipe->stepsHint);
        }
        return tr("default: the whole run; e.g. 2, 5, 10-12");
    }

    QString overridesText() const
    {
        if (const LaunchRecipe* const recipe = recipeFor(m_config.framework).data;
            recipe != nullptr && recipe->profiling)
            return tr("more Hydra overrides, appended last; quote each as '...'");
        return tr("more arguments, appended to the command");
    }

    static QHash<QString, QString> constantTexts();

    const SessionDraft& m_draft;
    const SessionConfig& m_config;
};

QHash<QString, QString> FieldHints::constantTexts()
{
    return {
        {"name", tr("also names the folder of the run's files")},
        {"launcher.login_node", tr("where sbatch runs")},
        {"launcher.slurm_options", "--partition=gpu --time=02:00:00"},
        {"launcher.batch_script", tr("a script that reads COMMAND from its environment, such as ray.sub")},
        {"launcher.agent_folder", tr("default: in the home folder; for the agent and its runs")},
        {"launcher.hold_nodes_s", tr("seconds to keep the nodes after the program ends, to collect reports")},
        {"launcher.ray_address", tr("default: Ray's own, usually http://127.0.0.1:8265")},
        {"torchrun.processes_per_node", tr("one process per GPU")},
        {"torchrun.options", "--rdzv-backend=c10d"},
        {"environment", "NCCL_DEBUG=WARN NAME='a value'"},
        {"ranks", tr("default: those that the framework chooses; e.g. 0, 8")},
        {"secret", tr("names of variables, e.g. %1").arg("WANDB_API_KEY, HF_TOKEN")},
        {"container", tr("command prefix, e.g. %1").arg("docker exec trainer")},
        {"total_steps", tr("length of the run; used only by the checks")},
        {"torch.contents", tr("any of %1").arg("cuda, cpu, memory, shapes, stack")},
        {"torch.step_start", tr("first mini-batch of the update; 0 is the first")},
        {"torch.step_end", tr("first mini-batch after the recording")},
        {"torch.profile_token_start", tr("default: all tokens; first decoded token (rollout engines)")},
        {"torch.profile_token_end", tr("default: all tokens; first token after the recording")},
        {"torch.schedule.skip_first", tr("mini-batches skipped at the start")},
        {"torch.schedule.wait", tr("mini-batches idle per cycle")},
        {"torch.schedule.warmup", tr("mini-batches traced and discarded per cycle")},
        {"torch.schedule.active", tr("mini-batches recorded per cycle; 0 = no schedule")},
        {"torch.schedule.repeat", tr("number of cycles; 0 = until the update ends")},
        {"torch_memory.max_entries", tr("allocator events kept")},
        {"torch_memory.stack_depth", tr("frames per event")},
        {"npu.contents", tr("any of %1").arg("npu, cpu, memory, shapes, module, stack")},
        {"npu.profile_token_start", tr("default: all tokens; first decoded token (rollout engines)")},
        {"npu.profile_token_end", tr("default: all tokens; first token after the recording")},
        {"precision_debugger.config_path", tr("path of msprobe's JSON file on the hosts")},
        {"precision_debugger.stages", tr("any of actor_update, actor_compute_log_prob, ...")},
        {"hooks.command", tr("shell command on the nodes after the last profiled step")},
        {"hooks.ranks", tr("default: the recorded ranks; e.g. 0, 8")},
        {"capture.range", tr("cudaProfilerApi, nvtx:NAME[@DOMAIN] or all")},
        {"capture.role", tr("used in report names, e.g. actor")},
        {"capture.library", tr("default: Lockstep installs its own; path on the hosts")},
    };
}

// Returns the part of the path without "roles.ROLE.".
QString nameWithoutRole(const std::string& path)
{
    const QString all = QString::fromStdString(path);
    return all.startsWith("roles.") ? all.section('.', 2) : all;
}

QString rayDefaultLabel(const SessionConfig& config)
{
    const size_t hosts = config.hosts.size();
    if (config.launcher.kind == LauncherKind::slurm)
        return FieldButtons::tr("default: off, the job does not start Ray");
    if (config.launcher.kind == LauncherKind::local || hosts < 2)
        return FieldButtons::tr("default: off, the program starts Ray unless it is running");
    return hosts == 2 ? FieldButtons::tr("default: Ray must already be running on both hosts")
                      : FieldButtons::tr("default: Ray must already be running on all %1 hosts").arg(hosts);
}

QString labelOf(std::span<const FieldChoice> choices, std::string_view word)
{
    const auto choice = std::ranges::find(choices, word, &FieldChoice::word);
    return choice == choices.end() ? QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()))
                                   : choice->label;
}

// The layout of the checkout is known only after the hosts were queried.
QString schemaDefaultLabel(const SessionDraft& draft, std::span<const FieldChoice> choices)
{
    SessionConfig unset = draft.config();
    unset.schema.reset();
    const QString label = labelOf(choices, eraName(unset, eraOf(unset, draft.facts())));
    return draft.facts().empty() ? FieldButtons::tr("default: %1, until the hosts are checked").arg(label)
                                 : FieldButtons::tr("default: %1, as on the hosts").arg(label);
}

} // namespace

QString fieldHint(const SessionDraft& draft, const std::string& path, FieldText kind)
{
    const QString text = FieldHints(draft).text(nameWithoutRole(path));
    const std::optional<ConfigValue> value = fieldDefault(draft.config(), eraOf(draft), path);
    const QString shown = QString::fromStdString(writeFieldText(kind, value));
    const bool isDefault = path == "torchrun.processes_per_node" || path == "capture.ranks";
    if (shown.isEmpty()) return isDefault ? FieldEdit::tr("default: %1").arg(text) : text;
    return text.isEmpty() ? FieldEdit::tr("default: %1").arg(shown)
                          : FieldEdit::tr("default: %1; %2").arg(shown, text);
}

QString defaultChoiceLabel(const SessionDraft& draft, const std::string& path,
                           std::span<const FieldChoice> choices)
{
    if (path == "launcher.start_ray") return rayDefaultLabel(draft.config());
    if (path == "schema") return schemaDefaultLabel(draft, choices);
    if (path.ends_with(".tool")) {
        const std::optional<Tool> tool = draft.config().tool;
        return tool ? FieldButtons::tr("default: %1").arg(labelOf(choices, enumName(*tool)))
                    : FieldButtons::tr("default: the session's");
    }
    const std::optional<ConfigValue> value = fieldDefault(draft.config(), eraOf(draft), path);
    return value ? FieldButtons::tr("default: %1").arg(labelOf(choices, value->text))
                 : FieldButtons::tr("default of the framework");
}

} // namespace lockstep
