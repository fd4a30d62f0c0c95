// SPDX-License-Identifier: Apache-2.0
// Preflight rules about the size of the run: node and GPU counts compared with the hosts, ranks that do not
// exist, and steps.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/launch_recipe.h"

namespace lockstep {

namespace {

struct SizeKeys {
    std::string_view nodes, gpus;
};

// Returns the overrides that state the size of the run, "" for those that the framework does not have.
SizeKeys sizeKeysOf(Framework framework)
{
    const LaunchRecipe* recipe = recipeFor(framework).data;
    if (recipe == nullptr) return {};
    const auto keyOf = [&](std::string_view name) {
        const RecipeVariable* variable = recipe->findVariable(name);
        const bool isKey = variable != nullptr && variable->source == RecipeVariable::Source::key;
        return isKey ? std::string_view(variable->keys.front()) : std::string_view();
    };
    return {keyOf("hosts"), keyOf("gpus_per_host")};
}

std::optional<int64_t> numberOf(const SessionConfig& config, std::string_view key)
{
    if (key.empty()) return std::nullopt;
    const std::optional<std::string> text = overrideValue(config, key);
    return text ? parseInt(*text) : std::nullopt;
}

// Returns N for --nodes=N, --nodes N, -N N and -NN. For a range, returns its first number.
std::optional<int64_t> slurmNodes(const std::vector<std::string>& options)
{
    std::optional<int64_t> nodes;
    for (size_t i = 0; i < options.size(); ++i) {
        std::string_view text = options[i];
        if ((text == "-N" || text == "--nodes") && i + 1 < options.size()) {
            text = options[i + 1];
        } else if (text.starts_with("--nodes=")) {
            text.remove_prefix(8);
        } else if (text.starts_with("-N")) {
            text.remove_prefix(2);
        } else {
            continue;
        }
        nodes = parseInt(text.substr(0, text.find('-')));
    }
    return nodes;
}

// Returns the number of nodes in the launch, or nullopt if the session does not specify it.
std::optional<int64_t> launchedNodes(const RecipeInput& input)
{
    const Launcher& launcher = input.config.launcher;
    const auto hosts = static_cast<int64_t>(input.hosts.size());
    if (launcher.kind == LauncherKind::slurm)
        return hosts > 0 ? std::optional(hosts) : slurmNodes(launcher.slurmOptions);
    // A Ray job is submitted to the head of a cluster, so the session does not have to list the nodes.
    if (launcher.kind == LauncherKind::rayJob && hosts < 2) return std::nullopt;
    return hosts > 0 ? std::optional(hosts) : std::nullopt;
}

void checkNodes(const RecipeInput& input, std::string_view key, Findings& findings)
{
    const std::optional<int64_t> expected = numberOf(input.config, key), launched = launchedNodes(input);
    if (!expected || !launched || *expected == *launched) return;
    const Launcher& launcher = input.config.launcher;
    const std::string prefix = std::string(key) + " is " + std::to_string(*expected);
    const std::string have = std::to_string(*launched) + (*launched == 1 ? " host" : " hosts");
    const bool isSlurm = launcher.kind == LauncherKind::slurm;
    if (*expected < *launched) {
        addFinding(findings, Severity::warning, "hosts", "world.nodes",
                   prefix + " and the session has " + have + "; some hosts are not used",
                   "make the numbers match; reports are expected only from the hosts that are used");
    } else if (isSlurm || launcher.startRay.value_or(false)) {
        addFinding(findings, Severity::error, "hosts", "world.nodes",
                   prefix + " and the launch has " + have + ": the run would wait forever for GPUs",
                   "add all hosts, or lower " + std::string(key));
    } else {
        addFinding(findings, Severity::warning, "hosts", "world.nodes",
                   prefix + " and the session has " + have + "; reports of the other hosts are not collected",
                   "add all hosts of the Ray cluster, or lower " + std::string(key));
    }
}

void checkGpus(const RecipeInput& input, std::string_view key, Findings& findings)
{
    const std::optional<int64_t> expected = numberOf(input.config, key);
    if (!expected) return;
    for (const Host& host : input.config.hosts) {
        if (!host.gpus || *host.gpus < 1 || *host.gpus == *expected) continue;
        const bool tooMany = *expected > *host.gpus;
        addFinding(findings, tooMany ? Severity::error : Severity::warning, "hosts." + host.name,
                   "world.gpus",
                   std::string(key) + " is " + std::to_string(*expected) + " and the host uses " +
                       std::to_string(*host.gpus) + (*host.gpus == 1 ? " GPU" : " GPUs") +
                       (tooMany ? ": the run would wait forever for GPUs" : "; the others are not used"),
                   "make the numbers match", [name = host.name, gpus = *expected](SessionConfig& c) {
                       for (Host& one : c.hosts) {
                           if (one.name == name) one.gpus = gpus;
                       }
                   });
    }
}

void checkProcesses(const RecipeInput& input, Findings& findings)
{
    const std::optional<int64_t> processes = input.config.torchrun.processesPerNode;
    if (!recipeFor(input.config.framework).usesTorchrun || !processes) return;
    if (*processes < 1) {
        addFinding(findings, Severity::error, "torchrun.processes_per_node", "torchrun.processes",
                   "a node must run at least 1 process", "remove it to use one process per GPU",
                   [](SessionConfig& c) { c.torchrun.processesPerNode.reset(); });
        return;
    }
    for (const Host& host : input.config.hosts) {
        if (!host.gpus || *host.gpus < 1 || *host.gpus >= *processes) continue;
        addFinding(findings, Severity::warning, "torchrun.processes_per_node", "torchrun.processes",
                   std::to_string(*processes) + " processes share the " + std::to_string(*host.gpus) +
                       (*host.gpus == 1 ? " GPU of " : " GPUs of ") + host.name,
                   "remove it to use one process per GPU",
                   [](SessionConfig& c) { c.torchrun.processesPerNode.reset(); });
    }
}

void checkHookRanks(const RecipeInput& input, Findings& findings)
{
    const std::optional<std::vector<int64_t>>& ranks = input.config.hooks.ranks;
    if (!ranks || ranks->empty()) return;
    const auto [least, most] = std::minmax_element(ranks->begin(), ranks->end());
    if (*least < 0) {
        addFinding(findings, Severity::error, "hooks.ranks", "hooks.rank_negative",
                   "ranks must not be negative", "remove it", [](SessionConfig& c) {
                       std::erase_if(*c.hooks.ranks, [](int64_t rank) { return rank < 0; });
                   });
    }
    const std::optional<int64_t> world = knownWorldSize(input.config);
    if (!world || *most < *world) return;
    addFinding(findings, Severity::error, "hooks.ranks", "hooks.rank_beyond_world",
               "rank " + std::to_string(*most) + " does not exist: the run has ranks 0 to " +
                   std::to_string(*world - 1) + ", so the hook would not run there",
               "remove it", [last = *world](SessionConfig& c) {
                   std::erase_if(*c.hooks.ranks, [last](int64_t rank) { return rank >= last; });
               });
}

} // namespace

void checkWorld(const RecipeInput& input, Findings& findings)
{
    for (const Host& host : input.config.hosts) {
        if (!host.gpus || *host.gpus > 0) continue;
        addFinding(findings, Severity::error, "hosts." + host.name, "host.gpus_positive",
                   "gpus is " + std::to_string(*host.gpus) + "; a host of a run must use at least 1 GPU",
                   "remove the number, or the host", [name = host.name](SessionConfig& c) {
                       for (Host& one : c.hosts) {
                           if (one.name == name) one.gpus.reset();
                       }
                   });
    }
    const SizeKeys keys = sizeKeysOf(input.config.framework);
    checkNodes(input, keys.nodes, findings);
    checkGpus(input, keys.gpus, findings);
    checkProcesses(input, findings);
    checkHookRanks(input, findings);
}

namespace {

void checkRunLength(const SessionConfig& config, const std::vector<int64_t>& steps, Findings& findings)
{
    const std::optional<int64_t> total = knownTotalSteps(config);
    if (!total || steps.empty() || steps.back() <= *total) return;
    const std::string length = std::to_string(*total) + " steps";
    const auto cut = [last = *total](SessionConfig& c) {
        std::erase_if(*c.steps, [last](int64_t step) { return step > last; });
    };
    const bool continuous = config.profileContinuousSteps.value_or(false) && steps.size() > 1 &&
                            std::find(steps.begin(), steps.end(), *total) != steps.end() &&
                            std::find(steps.begin(), steps.end(), *total + 1) != steps.end();
    if (continuous) {
        addFinding(findings, Severity::error, "steps", "steps.never_stopped",
                   "the run ends after " + length +
                       " inside a capture of adjacent steps: the capture is then never stopped, "
                       "and the report is lost or incomplete",
                   "remove the steps beyond the run", cut);
        return;
    }
    const bool none = steps.front() > *total;
    addFinding(findings, none ? Severity::error : Severity::warning, "steps", "steps.beyond_run",
               "the run has " + length + " and does not reach " +
                   std::string(none ? "any of these" : "all of these"),
               "remove the steps beyond the run", cut);
}

} // namespace

void checkSteps(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const std::vector<int64_t> steps = sortedSteps(config);
    if (steps.empty()) return;
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    const int64_t first = recipe != nullptr ? recipe->firstStep : 1;
    if (steps.front() < first) {
        addFinding(findings, Severity::error, "steps", "steps.below_one",
                   "step " + std::to_string(steps.front()) + " does not exist: steps count from " +
                       std::to_string(first),
                   "remove it", [first](SessionConfig& c) {
                       std::erase_if(*c.steps, [first](int64_t step) { return step < first; });
                   });
    }
    if (steps.size() != config.steps->size()) {
        addFinding(findings, Severity::warning, "steps", "steps.duplicate", "duplicate step",
                   "list each step once", [](SessionConfig& c) { c.steps = sortedSteps(c); });
    }
    checkRunLength(config, steps, findings);
}

} // namespace lockstep
