// SPDX-License-Identifier: Apache-2.0
// Recipe for NeMo RL: profiled with nsys through NRL_NSYS_* variables.
#include <algorithm>

#include <fnmatch.h>

#include "core/session/import_environment.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

namespace {

// The worker names that NeMo RL compares with its patterns.
constexpr std::array<std::string_view, 8> kWorkers{
    "dtensor_policy_worker",          "dtensor_policy_worker_v2", "megatron_policy_worker",
    "megatron_quant_policy_worker",   "vllm_generation_worker",   "vllm_async_generation_worker",
    "trtllm_async_generation_worker", "sglang_generation_worker"};

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ",") + word;
    return text;
}

bool matches(const std::string& pattern, std::string_view worker)
{
    return ::fnmatch(pattern.c_str(), std::string(worker).c_str(), 0) == 0;
}

Result<RecipeProgram> nemoRlProgram(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    RecipeProgram made;
    made.argv = config.command;
    made.overrides = config.otherOverrides;
    made.argv.insert(made.argv.end(), made.overrides.begin(), made.overrides.end());
    made.environment = captureEnvironment(input); // init_ray() passes the driver's environment to its workers
    if (config.tool != Tool::nsys) return made;
    const std::vector<int64_t> steps = sortedSteps(config);
    const std::optional<std::string> range = nrlRangeOfSteps(steps);
    if (!steps.empty() && !range) {
        return makeError(ErrorKind::invalid,
                         "steps: NeMo RL records one contiguous range of steps, counted from 1, not " +
                             stepListText(steps) + "; remove the steps outside one range",
                         HelpTopic::nemoRl);
    }
    if (range) made.environment.emplace_back("NRL_NSYS_PROFILE_STEP_RANGE", *range);
    if (!config.nemo.workerPatterns.empty()) {
        made.environment.emplace_back("NRL_NSYS_WORKER_PATTERNS", joined(config.nemo.workerPatterns));
    }
    if (!config.nemo.extraOptions.empty()) {
        made.environment.emplace_back("NRL_NSYS_EXTRA_OPTIONS", nrlJsonOfOptions(config.nemo.extraOptions));
    }
    return made;
}

void forecastNemoRl(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    if (config.tool == Tool::capture) return forecastCapture(input, files);
    const std::optional<std::string> range = nrlRangeOfSteps(sortedSteps(config));
    if (config.tool != Tool::nsys || !range) return;
    for (const std::string& pattern : config.nemo.workerPatterns) {
        const bool any = std::any_of(kWorkers.begin(), kWorkers.end(),
                                     [&](auto worker) { return matches(pattern, worker); });
        if (!any) continue;
        ExpectedFile file;
        const bool generation = std::any_of(kWorkers.begin(), kWorkers.end(), [&](std::string_view worker) {
            return matches(pattern, worker) && worker.find("generation") != std::string_view::npos;
        });
        file.role = generation ? "rollout" : "actor";
        file.host = input.hosts.size() == 1 ? input.hosts[0].name : "";
        // A policy has a worker on every GPU, but the number of generation engines becomes known only during
        // the run.
        if (!generation) file.rankCount = knownWorldSize(config);
        if (!file.isCountKnown())
            file.unknownReason =
                generation ? "the number of generation engines is known only during the run" : kGpusUnknown;
        file.steps = {sortedSteps(config)};
        file.folder = kRayReportFolder;
        file.pattern = R"((?<worker>[a-z0-9_]+)_)" + *range + R"(_(?<pid>\d+)(?:\.(?<n>\d+))?\.nsys-rep)";
        file.size_bytes = nsysReportSize(sortedSteps(config).size(), false);
        files.push_back(std::move(file));
    }
}

void checkPatterns(const SessionConfig& config, Findings& findings)
{
    if (config.nemo.workerPatterns.empty()) {
        addFinding(findings, Severity::error, "nemo_rl.worker_patterns", "nemo.both",
                   "NeMo RL fails at startup unless both steps and worker patterns are set",
                   "record the policy's workers",
                   [](SessionConfig& c) { c.nemo.workerPatterns = {"*policy*"}; });
    }
    for (const std::string& pattern : config.nemo.workerPatterns) {
        const bool any = std::any_of(kWorkers.begin(), kWorkers.end(),
                                     [&](auto worker) { return matches(pattern, worker); });
        if (pattern.find(',') != std::string::npos) {
            addFinding(findings, Severity::error, "nemo_rl.worker_patterns", "nemo.comma",
                       "'" + pattern + "' would be read as several patterns", "add each pattern separately");
        } else if (!any) {
            addFinding(findings, Severity::warning, "nemo_rl.worker_patterns", "nemo.no_match",
                       "'" + pattern + "' matches no known NeMo RL worker",
                       "*policy* and *generation* match most workers");
        }
    }
}

void checkNemoRl(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.tool != Tool::nsys) return;
    checkPatterns(config, findings);
    const std::vector<int64_t> steps = sortedSteps(config);
    const std::optional<std::string> range = nrlRangeOfSteps(steps);
    if (!steps.empty() && !range) {
        const auto keepFirst = [](SessionConfig& c) {
            SessionConfig joinedSteps = c;
            std::erase_if(*joinedSteps.steps, [](int64_t step) { return step < 1; });
            joinedSteps.profileContinuousSteps = true;
            const auto groups = stepGroups(joinedSteps);
            c.steps = groups.empty() ? std::vector<int64_t>{1} : groups.front();
        };
        addFinding(findings, Severity::error, "steps", "nemo.contiguous",
                   "NeMo RL records one contiguous range of steps, counted from 1, not " +
                       stepListText(steps),
                   "keep the first range", keepFirst);
    } else if (range) {
        addFinding(findings, Severity::note, "steps", "nemo.range",
                   *range + " excludes its second number: it records " +
                       (steps.size() == 1 ? "step " : "steps ") + stepListText(steps) +
                       ", each with the checkpoint and validation before the next step",
                   "");
        if (knownTotalSteps(config) == steps.back()) {
            addFinding(
                findings, Severity::warning, "steps", "nemo.last_step",
                "the step after the last one stops the recording; here there is none, so only a clean exit does",
                "remove the run's last step", [](SessionConfig& c) {
                    c.steps = sortedSteps(c);
                    if (c.steps->size() > 1) c.steps->pop_back();
                });
        }
    }
    for (const Role role : kRoles) {
        if (config.role(role) == RoleProfile{}) continue;
        addFinding(findings, Severity::warning, "roles", "nemo.roles",
                   "NeMo RL chooses workers by name patterns; roles and ranks are ignored", "remove them",
                   [](SessionConfig& c) { c.roles = {}; });
        break;
    }
    if (config.discrete.value_or(false)) {
        addFinding(findings, Severity::warning, "discrete", "nemo.discrete",
                   "NeMo RL always writes one report per process", "turn it off",
                   [](SessionConfig& c) { c.discrete.reset(); });
    }
}

} // namespace

Recipe nemoRlRecipe()
{
    static constexpr std::array kTools{Tool::nsys, Tool::capture};
    return {Framework::nemoRl, "NeMo RL", false, true, kTools, nemoRlProgram, forecastNemoRl, checkNemoRl};
}

} // namespace lockstep
