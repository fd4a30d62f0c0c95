// SPDX-License-Identifier: Apache-2.0
#include "core/session/launch_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "core/base/host_reference.h"
#include "core/base/text.h"
#include "core/session/container_places.h"
#include "core/session/expected_files.h"
#include "core/session/head_address.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/script_launch.h"
#include "core/session/secrets.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::string_view kHead =
    "head=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\"\n";

std::string rayStart(const SessionConfig& config)
{
    std::string ray = bashLine(config.containerPrefix);
    ray += ray.empty() ? "ray " : " ray ";
    return std::string(kHead) + "srun --nodes=1 --ntasks=1 --nodelist=\"$head\" " + ray +
           "start --head --port=6379 --block &\n"
           "until " +
           ray +
           "status --address=\"$head:6379\" > /dev/null 2>&1; do sleep 1; done\n"
           "if [ \"$SLURM_NNODES\" -gt 1 ]; then\n"
           "  srun --nodes=$((SLURM_NNODES - 1)) --ntasks=$((SLURM_NNODES - 1)) --exclude=\"$head\" " +
           ray +
           "start --address=\"$head:6379\" --block &\n"
           "fi\n";
}

// Returns the batch script that a plan submits with sbatch. For programs that run on every host, it starts
// one task per node. Otherwise it runs only the command, after starting Ray if the session requests that.
// torchrun gets its position in the job from PET_* variables, which are set from Slurm's variables.
// program.folder is first created on every node.
std::string slurmScript(const RecipeInput& input, const Recipe& recipe, const RecipeProgram& program)
{
    const SessionConfig& config = input.config;
    std::string script = "#!/bin/bash\n#SBATCH --ntasks-per-node=1\n";
    if (!config.hosts.empty()) script += "#SBATCH --nodes=" + std::to_string(config.hosts.size()) + "\n";
    script += "set -euo pipefail\n";
    if (!config.workingFolder.empty()) script += shellEnter(config.workingFolder) + "\n";
    for (const auto& [name, value] : program.environment)
        script += "export " + shellAssignment(name, value) + "\n";
    if (!program.folder.empty()) script += "srun mkdir -p -- " + bashQuoted(program.folder) + "\n";
    if (recipe.usesTorchrun) {
        script += std::string(kHead) +
                  "export PET_NNODES=\"$SLURM_NNODES\" PET_MASTER_ADDR=\"$head\" PET_MASTER_PORT=29500\n"
                  "srun --kill-on-bad-exit=1 bash -c 'export PET_NODE_RANK=\"$SLURM_NODEID\"; exec \"$@\"' "
                  "lockstep \\\n  ";
    } else if (recipe.runsOnEveryHost) {
        script += "srun --kill-on-bad-exit=1 \\\n  ";
    } else if (recipe.usesRay && config.launcher.startRay.value_or(false)) {
        script += rayStart(config);
    }
    return script + shellBlock(program.argv) + "\n";
}

tl::unexpected<Error> fieldError(std::string_view field, std::string_view reason)
{
    return makeError(ErrorKind::invalid, std::string(field) + ": " + std::string(reason));
}

bool hasNul(std::string_view text)
{
    return text.find('\0') != std::string_view::npos;
}

bool hasNul(const ConfigValue& value)
{
    return hasNul(value.text) ||
           std::ranges::any_of(value.keys, [](const std::string& key) { return hasNul(key); }) ||
           std::ranges::any_of(value.items, [](const ConfigValue& item) { return hasNul(item); });
}

// These names, addresses and paths are used in commands, comments, folder names and messages.
Status checkNames(const SessionConfig& config)
{
    struct Named {
        std::string_view field, text;
    };
    const Launcher& launcher = config.launcher;
    std::vector<Named> all{{"name", config.name},
                           {"working_folder", config.workingFolder},
                           {"save_path", config.savePath ? std::string_view(*config.savePath) : ""},
                           {"script", config.script},
                           {"launcher.login_node", launcher.loginNode},
                           {"launcher.batch_script", launcher.batchScript},
                           {"launcher.ray_address", launcher.rayAddress},
                           {"launcher.agent_folder", launcher.agentFolder},
                           {"capture.library", config.capture.library},
                           {"capture.range", config.capture.range},
                           {"capture.role", config.capture.role}};
    for (const Host& host : config.hosts)
        all.insert(all.end(), {{"hosts", host.name}, {"hosts", host.address}, {"hosts", host.agentFolder}});
    for (const RoleProfile& role : config.roles) {
        if (role.savePath) all.push_back({"roles", *role.savePath});
    }
    for (const Named& one : all) {
        if (printable(one.text) != one.text)
            return fieldError(one.field, "'" + printable(one.text) + "' contains a control character");
    }
    return {};
}

Status checkTexts(const SessionConfig& config)
{
    LOCKSTEP_TRY(checkNames(config));
    for (const auto& [name, value] : config.environment) {
        if (!isEnvironmentName(name))
            return fieldError("environment", "'" + name + "' is not a valid variable name");
        if (hasNul(value)) return fieldError("environment", name + " contains a NUL character");
    }
    for (const std::string& name : config.secrets) {
        if (!isEnvironmentName(name))
            return fieldError("secret", "'" + name + "' is not a valid variable name");
    }
    const auto anyNul = [](const std::vector<std::string>& words) {
        return std::ranges::any_of(words, [](const std::string& word) { return hasNul(word); });
    };
    if (hasNul(config.settings)) return fieldError("settings", "contains a NUL character");
    if (anyNul(config.scriptArguments)) return fieldError("args", "contains a NUL character");
    if (anyNul(config.command)) return fieldError("command", "contains a NUL character");
    if (anyNul(config.containerPrefix)) return fieldError("container", "contains a NUL character");
    if (anyNul(config.otherOverrides)) return fieldError("other_overrides", "contains a NUL character");
    if (config.name.find('/') != std::string::npos || config.name == "..")
        return fieldError("name",
                          "'" + config.name + "' must not contain '/': it becomes part of a folder name");
    std::set<std::string> names;
    for (const Host& host : config.hosts) {
        if (host.name.empty()) return fieldError("hosts", "a host needs a name");
        if (!names.insert(host.name).second) return fieldError("hosts", "duplicate host '" + host.name + "'");
        if (host.address.starts_with('-'))
            return fieldError("hosts", "'" + host.address + "' is not a valid address");
    }
    if (config.launcher.holdNodes_s.value_or(0) < 0)
        return fieldError("launcher.hold_nodes_s", "must not be negative; 0 releases the nodes immediately");
    if (!config.command.empty() && !config.script.empty())
        return fieldError("script", "a session has either a script or a command");
    if (config.command.empty() && config.script.empty())
        return fieldError("command", "no command given; 'command' takes a list of arguments");
    return {};
}

// Returns the environment for a command: the variables from the session and from the recipe. If both set a
// variable, the session takes precedence.
TextPairs fullEnvironment(const SessionConfig& config, const TextPairs& added)
{
    TextPairs all = openEnvironment(config);
    for (const auto& [name, value] : added) {
        const bool own = std::any_of(all.begin(), all.end(),
                                     [&key = name](const auto& pair) { return pair.first == key; });
        if (!own) all.emplace_back(name, value);
    }
    return all;
}

bool passesByName(const std::vector<std::string>& prefix)
{
    return std::ranges::any_of(prefix, [](const std::string& word) {
        const std::string program = word.substr(word.rfind('/') + 1); // if there is no slash, npos + 1 is 0
        return program == "docker" || program == "podman" || program == "nerdctl";
    });
}

// docker and podman pass on variables if their options contain only the variable names, so the values do not
// have to appear there.
std::vector<std::string> prefixWithSecrets(const SessionConfig& config)
{
    std::vector<std::string> words = config.containerPrefix;
    std::vector<std::string> names = secretNames(config);
    std::erase_if(names, [](const std::string& name) { return name.starts_with(kArgumentSecret); });
    const auto verb =
        std::ranges::find_if(words, [](const std::string& word) { return word == "exec" || word == "run"; });
    if (!passesByName(words) || verb == words.end()) return words;
    std::vector<std::string> options;
    for (const std::string& name : names)
        options.push_back("--env=" + name);
    words.insert(verb + 1, options.begin(), options.end());
    return words;
}

// Returns the arguments as run inside the session's container, if it has one. A container does not inherit
// the folder or the environment, so env(1) sets them inside.
std::vector<std::string> inContainer(const SessionConfig& config, const TextPairs& environment,
                                     const std::vector<std::string>& argv)
{
    if (config.containerPrefix.empty()) return argv;
    std::vector<std::string> words = prefixWithSecrets(config);
    if (!environment.empty() || !config.workingFolder.empty()) words.push_back("env");
    if (!config.workingFolder.empty()) words.push_back("--chdir=" + config.workingFolder);
    for (const auto& [name, value] : environment)
        words.push_back(name + "=" + value);
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
}

// Sets the folder and the environment for a host's commands, unless the arguments already set them inside a
// container.
void setFolderAndEnvironment(const SessionConfig& config, HostPlan& host, const TextPairs& environment)
{
    host.secrets = secretNames(config);
    if (!config.containerPrefix.empty()) return;
    host.workingFolder = config.workingFolder;
    host.environment = environment;
}

std::string addressOf(const SessionConfig& config, const Host& host)
{
    if (config.launcher.kind == LauncherKind::local) return {};
    return host.address.empty() ? host.name : host.address;
}

// Returns the program of a host. For a script under shims, that is the script; what the recipe adds to the
// training is noted in the plan, and added on the host.
Result<RecipeProgram> programOf(const RecipeInput& input, const Recipe& recipe, LaunchPlan& plan)
{
    if (!usesShims(input.config)) return recipe.program(input);
    RecipeProgram added = LOCKSTEP_TRY(scriptProgram(input));
    plan.addedWords = added.argv;
    plan.addedEnvironment = added.environment;
    RecipeProgram made;
    const bool hasHost = input.config.launcher.kind == LauncherKind::ssh && !input.hosts.empty();
    made.argv = shimmedCommand(input.config, hasHost ? input.hosts[input.hostIndex].name : "");
    made.overrides = std::move(added.overrides);
    return made;
}

Status planHosts(const RecipeInput& input, const Recipe& recipe, LaunchPlan& plan)
{
    const SessionConfig& config = input.config;
    const bool startsRay = recipe.usesRay && config.launcher.startRay.value_or(false);
    for (size_t i = 0; i < input.hosts.size(); ++i) {
        RecipeInput one = input;
        one.hostIndex = i;
        RecipeProgram program = LOCKSTEP_TRY(programOf(one, recipe, plan));
        HostPlan host;
        host.host = input.hosts[i].name;
        host.address = addressOf(config, input.hosts[i]);
        host.agentFolder =
            input.hosts[i].agentFolder.empty() ? config.launcher.agentFolder : input.hosts[i].agentFolder;
        const TextPairs environment = fullEnvironment(config, program.environment);
        setFolderAndEnvironment(config, host, environment);
        host.captureLibrary = installedLibraryPath(one);
        if (startsRay) {
            std::vector<std::string> ray{"ray", "start"};
            ray.push_back(i == 0 ? "--head" : "--address=" + headAddress(input) + ":6379");
            if (i == 0) ray.push_back("--port=6379");
            host.commands.push_back({i == 0 ? 1 : 2, "start Ray", inContainer(config, environment, ray)});
        }
        if (!program.folder.empty()) {
            host.commands.push_back(
                {1, "create report folder",
                 inContainer(config, environment, {"mkdir", "-p", "--", program.folder})});
        }
        const int order = startsRay ? 3 : program.folder.empty() ? 1 : 2;
        if (i == 0 || recipe.runsOnEveryHost) {
            if (usesShims(config)) host.files = shimFiles(one);
            host.commands.push_back({order, usesShims(config) ? "run the script" : "train",
                                     inContainer(config, environment, program.argv)});
        }
        if (i == 0) plan.overrides = std::move(program.overrides);
        plan.hosts.push_back(std::move(host));
    }
    return {};
}

// By default, sbatch passes its environment to the job. Secrets rely on this.
std::vector<std::string> sbatchOptions(const SessionConfig& config)
{
    std::vector<std::string> words = config.launcher.slurmOptions;
    const std::vector<std::string> names = secretNames(config);
    if (names.empty()) return words;
    constexpr std::string_view kExport = "--export=";
    for (std::string& word : words) {
        if (!word.starts_with(kExport)) continue;
        const std::string_view given = std::string_view(word).substr(kExport.size());
        if (given == "ALL" || given.starts_with("ALL,")) return words;
        if (given == "NONE" || given == "NIL") word = kExport;
        for (const std::string& name : names)
            word += (word.ends_with('=') ? "" : ",") + name;
        return words;
    }
    words.push_back("--export=ALL");
    return words;
}

Status planSlurm(const RecipeInput& input, const Recipe& recipe, LaunchPlan& plan)
{
    const SessionConfig& config = input.config;
    RecipeProgram program = LOCKSTEP_TRY(programOf(input, recipe, plan));
    const TextPairs environment = fullEnvironment(config, program.environment);
    HostPlan login;
    login.host = config.launcher.loginNode.empty() ? "login" : config.launcher.loginNode;
    login.address = config.launcher.loginNode;
    login.agentFolder = config.launcher.agentFolder;
    login.captureLibrary = installedLibraryPath(input);
    login.workingFolder = config.workingFolder;
    login.secrets = secretNames(config);
    std::vector<std::string> argv{"sbatch", "--parsable"};
    for (std::string& word : sbatchOptions(config))
        argv.push_back(std::move(word));
    if (!config.script.empty() && usesShims(config) && config.containerPrefix.empty()) {
        // The user's batch script itself is submitted. The agent wraps it, see jobPlan().
        login.environment = environment;
        login.files = shimFiles(input);
        argv.insert(argv.end(), {"--", config.script});
        argv.insert(argv.end(), config.scriptArguments.begin(), config.scriptArguments.end());
    } else if (!config.launcher.batchScript.empty()) {
        login.environment = environment;
        // The shell in the job resolves the references, not the agent on the login node.
        const std::string command = bashLine(inContainer(config, environment, program.argv));
        login.environment.emplace_back("COMMAND", literalText(command));
        if (!config.hosts.empty()) argv.push_back("--nodes=" + std::to_string(config.hosts.size()));
        argv.push_back(config.launcher.batchScript);
    } else {
        const std::vector<std::string> inner = inContainer(config, environment, program.argv);
        const std::string path = runFolder(config) + "/job.sbatch";
        login.files.push_back(
            {path, slurmScript(input, recipe, {inner, environment, {}, program.folder}), true});
        argv.push_back(path);
    }
    login.commands.push_back({1, "submit to Slurm", std::move(argv)});
    plan.overrides = std::move(program.overrides);
    plan.hosts.push_back(std::move(login));
    return {};
}

// Ray joins the arguments of an entry point without quoting, so they are written to a script.
Status planRayJob(const RecipeInput& input, const Recipe& recipe, LaunchPlan& plan)
{
    const SessionConfig& config = input.config;
    RecipeProgram program = LOCKSTEP_TRY(programOf(input, recipe, plan));
    const TextPairs environment = fullEnvironment(config, program.environment);
    HostPlan head;
    head.host = input.hosts.empty() ? "head" : input.hosts[0].name;
    head.address = input.hosts.empty() ? "" : addressOf(config, input.hosts[0]);
    head.workingFolder = config.workingFolder;
    head.captureLibrary = installedLibraryPath(input);
    const std::vector<std::string> inner = inContainer(config, environment, program.argv);
    std::string script = "#!/bin/bash\nset -euo pipefail\n";
    if (!config.workingFolder.empty()) script += shellEnter(config.workingFolder) + "\n";
    for (const auto& [name, value] : environment)
        script += "export " + shellAssignment(name, value) + "\n";
    // Ray stores a job's environment in clear text, so secrets are not passed; the cluster must set them.
    for (const std::string& name : secretNames(config))
        script += ": \"${" + name + ":?is a secret: set it where Ray is started}\"\n";
    const std::string path = runFolder(config) + "/entry.sh";
    if (usesShims(config)) head.files = shimFiles(input);
    head.files.push_back({path, script + "exec " + shellBlock(inner) + "\n", true});
    std::vector<std::string> argv{"ray", "job", "submit", "--no-wait"};
    if (!config.launcher.rayAddress.empty()) argv.push_back("--address=" + config.launcher.rayAddress);
    argv.insert(argv.end(), {"--", "bash", path});
    head.commands.push_back({1, "submit to Ray", std::move(argv)});
    plan.overrides = std::move(program.overrides);
    plan.hosts.push_back(std::move(head));
    return {};
}

// Each host searches for the reports that are expected from it, and for expected reports without a host. By
// then, Ray's link to the latest session may point to a different session, so the folders of all sessions are
// searched.
void planReports(const SessionConfig& config, std::span<const HostFacts> facts, LaunchPlan& plan)
{
    constexpr std::string_view kLatest = "/session_latest/";
    const ContainerPlaces places = containerPlaces(config);
    for (const ExpectedFile& file : forecastFiles(config, facts)) {
        std::string folder = places.onHost(file.folder).value_or(file.folder);
        if (const size_t at = folder.find(kLatest); at != std::string::npos)
            folder.replace(at, kLatest.size(), "/session_*/");
        for (HostPlan& host : plan.hosts) {
            const bool isOfOtherHost = plan.hosts.size() > 1 && !file.host.empty() && file.host != host.host;
            const bool isKnown = std::find(host.reportFolders.begin(), host.reportFolders.end(), folder) !=
                                 host.reportFolders.end();
            if (!isOfOtherHost && !isKnown && !folder.empty()) host.reportFolders.push_back(folder);
        }
    }
}

// The agents search the output of the run for the failures that the recipe knows, and for the signs of all
// recipes, because any command may start a framework.
void planLogs(const RecipeInput& input, const Recipe& recipe, LaunchPlan& plan)
{
    for (HostPlan& host : plan.hosts) {
        for (const LaunchRecipe& one : launchRecipes()) {
            for (const LogSign& sign : one.logSigns)
                host.signs.emplace_back(enumName(sign.kind), sign.pattern.expression());
        }
    }
    if (recipe.data == nullptr) return;
    std::vector<LogFailure> failures;
    for (const RecipeFailure& failure : recipe.data->failures) {
        if (!recipe.data->includesEra(failure.era, input.era)) continue;
        std::string text = failure.message.substr(0, failure.message.find_last_not_of('.') + 1);
        if (!failure.remedy.empty()) text += ": " + failure.remedy;
        failures.push_back({recipe.data->name + "." + failure.id, failure.log.expression(), std::move(text)});
    }
    for (HostPlan& host : plan.hosts)
        host.failures = failures;
}

// A single host has no other clock to compare with. The nodes in a Slurm job do have other clocks; the login
// node's plan represents these nodes.
void planClocks(const SessionConfig& config, LaunchPlan& plan)
{
    const bool isEnabled = config.clockExchange.value_or(ClockExchangeUse::on) == ClockExchangeUse::on;
    if (!isEnabled || (plan.hosts.size() < 2 && config.launcher.kind != LauncherKind::slurm)) return;
    for (HostPlan& host : plan.hosts)
        host.exchangesClocks = true;
}

// Shells resolve the variables in their texts: those of bash -c, and hooks, which run on every node.
void setShellTextsLiteral(SessionConfig& config)
{
    config.command = withLiteralShellTexts(std::move(config.command));
    const auto setLiteral = [](Hooks& hooks) {
        if (hooks.command) hooks.command = literalText(*hooks.command);
    };
    setLiteral(config.hooks);
    for (RoleProfile& role : config.roles)
        setLiteral(role.hooks);
}

} // namespace

Result<LaunchPlan> planLaunch(const SessionConfig& given, std::span<const HostFacts> facts)
{
    SessionConfig config = hideSecrets(given).config;
    LOCKSTEP_TRY(checkTexts(config));
    config = withScriptAsCommand(std::move(config));
    setShellTextsLiteral(config);
    const Recipe& recipe = recipeFor(config.framework);
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, facts, hosts, eraOf(config, facts), 0};
    LaunchPlan plan;
    plan.session = config.name;
    plan.framework = config.framework;
    plan.schema = eraName(config, input.era);
    plan.steps = sortedSteps(config);
    switch (config.launcher.kind) {
    case LauncherKind::slurm:
        LOCKSTEP_TRY(planSlurm(input, recipe, plan));
        break;
    case LauncherKind::rayJob:
        LOCKSTEP_TRY(planRayJob(input, recipe, plan));
        break;
    case LauncherKind::ssh:
    case LauncherKind::local: {
        if (hosts.empty()) return fieldError("hosts", "ssh needs at least one host");
        LOCKSTEP_TRY(planHosts(input, recipe, plan));
        break;
    }
    }
    planReports(config, facts, plan);
    planClocks(config, plan);
    planLogs(input, recipe, plan);
    return plan;
}

std::string shellText(const HostPlan& host, const PlannedCommand& command)
{
    std::string text;
    if (!host.workingFolder.empty()) {
        text += shellEnter(host.workingFolder) + " && \\\n";
    }
    for (const auto& [name, value] : host.environment)
        text += shellAssignment(name, value) + " \\\n";
    for (const std::string& name : host.secrets)
        text += name + "=\"" + secretReference(name) + "\" \\\n";
    return text + shellBlock(command.argv);
}

std::string runFolder(const SessionConfig& config)
{
    const std::string name = config.name.empty() ? "session" : config.name;
    return (config.workingFolder.empty() ? "" : config.workingFolder + "/") + "lockstep/" + name;
}

std::vector<Host> plannedHosts(const SessionConfig& config)
{
    if (!config.hosts.empty() || config.launcher.kind != LauncherKind::local) return config.hosts;
    Host local;
    local.name = "localhost";
    return {local};
}

} // namespace lockstep
