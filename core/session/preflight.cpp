// SPDX-License-Identifier: Apache-2.0
#include "core/session/preflight.h"

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/scheduler/sbatch_options.h"
#include "core/session/current_facts.h"
#include "core/session/expected_files.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/script_launch.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

void checkTool(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const Recipe& recipe = recipeFor(config.framework);
    if (const auto argument = toolFromArguments(config); !config.tool && argument) {
        addFinding(findings, Severity::note, "tool", "tool.elsewhere",
                   *argument + " selects the tool; the forecast and the checks ignore that",
                   "select the tool here");
        return;
    }
    if (!config.tool) {
        // This is only a warning, because the user of an otherwise complete session may have intended it.
        if (!forecastFiles(config, input.facts).empty()) {
            addFinding(findings, Severity::note, "tool", "tool.samples",
                       "no tool selected; only the samples of the framework are recorded", "");
            return;
        }
        const auto add = config.command.empty() && config.script.empty() ? addMissing : addFinding;
        add(findings, Severity::warning, "tool", "tool.none", "no tool selected; nothing is recorded",
            "select a tool", [first = recipe.tools.front()](SessionConfig& c) { c.tool = first; });
        return;
    }
    if (std::find(recipe.tools.begin(), recipe.tools.end(), *config.tool) == recipe.tools.end()) {
        addFinding(findings, Severity::error, "tool", "tool.unsupported",
                   std::string(recipe.label) + " does not support " + std::string(enumName(*config.tool)),
                   "choose " + std::string(enumName(recipe.tools.front())),
                   [first = recipe.tools.front()](SessionConfig& c) { c.tool = first; });
    }
}

// Reports recipes of the user that cannot be read, and settings that only recipes have.
void checkRecipes(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    for (const std::string& problem : recipeProblems()) {
        addFinding(findings, Severity::warning, "framework", "recipe.file", problem,
                   "correct the recipe and start Lockstep again");
    }
    const Recipe& recipe = recipeFor(config.framework);
    const std::string label(recipe.label);
    const bool usesRanks = recipe.data != nullptr && recipe.data->roles.empty();
    if (recipe.data == nullptr && config.settings.kind != ConfigValue::Kind::null) {
        addFinding(findings, Severity::warning, "settings", "settings.unused",
                   label + " has no settings of its own; these are ignored", "remove them",
                   [](SessionConfig& c) { c.settings = {}; });
    }
    if (config.ranks && !usesRanks) {
        addFinding(findings, Severity::warning, "ranks", "ranks.unused",
                   label + " ignores these ranks; the roles or Lockstep capture have their own",
                   "remove them", [](SessionConfig& c) { c.ranks.reset(); });
    }
}

// Reports Slurm options that are unsuitable because a run is a single job that is started once.
void checkSlurm(const SessionConfig& config, Findings& findings)
{
    const auto options = watchableOptions(config.launcher.slurmOptions, "launcher.slurm_options");
    if (!options)
        addFinding(findings, Severity::error, "launcher.slurm_options", "slurm.options",
                   options.error().message);
    for (const std::string& note : options ? options->notes : std::vector<std::string>())
        addFinding(findings, Severity::note, "launcher.slurm_options", "slurm.option_left_out", note);
    const int64_t hold_s = config.launcher.holdNodes_s.value_or(kHoldNodes_s);
    if (hold_s > 0)
        addFinding(findings, Severity::note, "launcher.hold_nodes_s", "slurm.hold_nodes",
                   "the job keeps its nodes for up to " + std::to_string(hold_s) +
                       " s after the program ends, until reports on node-local disks are collected",
                   "set launcher.hold_nodes_s to change the time; 0 releases the nodes immediately");
    const auto hasFolder = [](const Host& host) { return !host.agentFolder.empty(); };
    if (const auto host = std::ranges::find_if(config.hosts, hasFolder); host != config.hosts.end()) {
        addFinding(findings, Severity::warning, "hosts", "slurm.agent_folder",
                   "Slurm chooses the nodes, so agent_folder of " + host->name + " has no effect",
                   "move it to launcher.agent_folder", [folder = host->agentFolder](SessionConfig& c) {
                       if (c.launcher.agentFolder.empty()) c.launcher.agentFolder = folder;
                       for (Host& one : c.hosts)
                           one.agentFolder.clear();
                   });
    }
}

// Checks a session that runs a launch script unread; see script_launch.h.
void checkScript(const SessionConfig& config, Findings& findings)
{
    if (config.script.empty() || config.isCommandRecorded) return;
    if (!config.command.empty() && usesShims(config)) {
        addFinding(findings, Severity::error, "script", "script.command",
                   "a session has either a script or a command", "remove the command",
                   [](SessionConfig& c) { c.command.clear(); });
    }
    if (!usesShims(config)) {
        addFinding(findings, Severity::note, "framework", "script.framework",
                   "the script is recorded as a whole, like any command: no framework is selected",
                   "select the framework that the script starts");
        return;
    }
    if (!config.launcher.batchScript.empty()) {
        addFinding(findings, Severity::error, "launcher.batch_script", "script.batch",
                   "the script itself is submitted, so a second batch script has no effect", "remove it",
                   [](SessionConfig& c) { c.launcher.batchScript.clear(); });
    }
    if (!config.containerPrefix.empty()) {
        addFinding(
            findings, Severity::warning, "container", "script.container",
            "the script runs inside the container, so the agent's folder and the working folder must be "
            "visible there at the same paths",
            "mount both folders; launcher.agent_folder selects the agent's");
    }
    if (config.framework == Framework::torchrun && config.torchrun.nsysPlacement == NsysPlacement::rank) {
        addFinding(findings, Severity::warning, "torchrun.nsys_placement", "script.placement",
                   "the script starts torchrun, so nsys can only run around it, once per host", "use node",
                   [](SessionConfig& c) { c.torchrun.nsysPlacement = NsysPlacement::node; });
    }
}

void checkLaunch(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.command.empty() && config.script.empty()) {
        addMissing(findings, Severity::error, "command", "command.empty", "no command given",
                   "enter the command, or the path of a launch script");
    }
    checkScript(config, findings);
    const LauncherKind kind = config.launcher.kind;
    if (kind == LauncherKind::ssh && config.hosts.empty()) {
        addMissing(findings, Severity::error, "hosts", "hosts.none", "ssh needs at least one host",
                   "add the hosts");
    }
    const auto isElsewhere = [](const Host& host) {
        return host.name != "localhost" || !(host.address.empty() || host.address == "localhost");
    };
    if (kind == LauncherKind::local && std::ranges::any_of(config.hosts, isElsewhere)) {
        addFinding(findings, Severity::warning, "launcher.kind", "launcher.local_hosts",
                   "the launcher is this machine: everything runs here, nothing on the hosts of the list",
                   "use ssh, or remove the hosts",
                   [](SessionConfig& c) { c.launcher.kind = LauncherKind::ssh; });
    }
    if (kind == LauncherKind::slurm && config.launcher.loginNode.empty()) {
        addMissing(findings, Severity::error, "launcher.login_node", "slurm.login_node",
                   "no login node given to run sbatch on", "set the login node");
    }
    if (kind == LauncherKind::slurm) checkSlurm(config, findings);
    if (!config.workingFolder.empty() && !isAbsoluteOrHomePath(config.workingFolder) &&
        kind != LauncherKind::local) {
        addFinding(findings, Severity::warning, "working_folder", "working_folder.relative",
                   "a relative folder is resolved against the home folder of each host",
                   "use an absolute path");
    }
    const bool ownNsys =
        std::any_of(config.command.begin(), config.command.end(),
                    [](const std::string& word) { return word == "nsys" || word.ends_with("/nsys"); });
    if (ownNsys && config.tool) {
        addFinding(findings, Severity::error, "command", "command.nsys",
                   "the command already starts nsys; two profilers cannot be active in one process",
                   "remove nsys from the command; the plan adds it");
    }
}

// Checks the hooks of the session or of one role.
void checkHooksOf(const RecipeInput& input, std::optional<Role> role, Findings& findings)
{
    const auto hooksIn = [role](auto& config) -> auto&
    {
        return role ? config.role(*role).hooks : config.hooks;
    };
    const Hooks& hooks = hooksIn(input.config);
    if (hooks == Hooks{}) return;
    const std::string field = role ? "roles." + std::string(enumName(*role)) + ".hooks" : "hooks";
    if (!hasRoles(input.config)) {
        addFinding(findings, Severity::error, field, "hooks.unsupported",
                   std::string(recipeFor(input.config.framework).label) + " has no hooks; these are ignored",
                   "remove them", [hooksIn](SessionConfig& c) { hooksIn(c) = {}; });
    }
    if (!hooks.command) return;
    addFinding(findings, Severity::warning, field + ".command", "hooks.confirm",
               "/bin/sh runs this command unchanged on the nodes: " + *hooks.command,
               "review it before the launch");
    if (hooks.command->find('"') != std::string::npos) {
        addFinding(findings, Severity::warning, field + ".command", "hooks.quotes",
                   "double quotes in the hook go through Hydra, Ray and a shell",
                   "put the command in a script and run the script");
    }
}

void checkHooks(const RecipeInput& input, Findings& findings)
{
    checkHooksOf(input, std::nullopt, findings);
    for (const Role role : kRoles)
        checkHooksOf(input, role, findings);
}

} // namespace

Findings preflight(const SessionConfig& given, std::span<const HostFacts> facts)
{
    const SessionConfig config = withScriptAsCommand(given);
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, facts, hosts, eraOf(config, facts), 0};
    Findings findings;
    checkKeys(input, findings);
    checkLaunch(input, findings);
    checkWorld(input, findings);
    checkTool(input, findings);
    checkRecipes(input, findings);
    checkSteps(input, findings);
    recipeFor(config.framework).check(input, findings);
    checkCapture(input, findings);
    checkNsysOptions(input, findings);
    checkTorch(input, findings);
    checkAscend(input, findings);
    checkIdleSettings(input, findings);
    checkHooks(input, findings);
    checkSecrets(input, findings);
    checkReferences(input, findings);
    checkContainerFolders(input, findings);
    checkHosts(input, findings);
    checkCost(input, findings);
    checkNeeds(input, findings);
    return findings;
}

Findings preflight(const SessionConfig& config, const LaunchPlan& plan, std::span<const HostFacts> facts)
{
    Findings findings = preflight(config, facts);
    const std::vector<Host> hosts = plannedHosts(config);
    checkInjection({config, facts, hosts, eraOf(config, facts), 0}, plan, findings);
    for (size_t i = 0; i < plan.hosts.size(); ++i) {
        std::string needs;
        for (const std::string& need : uncheckedNeeds(config, plan, i, facts))
            needs += (needs.empty() ? "" : ", ") + need;
        if (!needs.empty())
            addFinding(findings, Severity::note, "hosts." + plan.hosts[i].host, "host.unchecked",
                       "not checked yet on " + plan.hosts[i].host + ": " + needs, "check the hosts");
    }
    return findings;
}

} // namespace lockstep
