// SPDX-License-Identifier: Apache-2.0
// Preflight rules about steps.
#include <algorithm>

#include "core/session/preflight_rules.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

// Plain programs select steps only through their own calls to the profiler.
bool needsSteps(const SessionConfig& config)
{
    return recipeFor(config.framework).usesRay && config.tool && config.tool != Tool::capture;
}

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
                       " inside a capture of adjacent steps: verl then never stops the capture, "
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
    if (steps.empty()) {
        if (needsSteps(config)) {
            addFinding(
                findings, Severity::error, "steps", "steps.none", "no steps selected; nothing is recorded",
                "add at least one step; step 2 is past warm-up", [](SessionConfig& c) { c.steps = {2}; });
        }
        return;
    }
    if (steps.front() < 1) {
        addFinding(findings, Severity::error, "steps", "steps.below_one",
                   "step " + std::to_string(steps.front()) + " does not exist: steps count from 1",
                   "remove it",
                   [](SessionConfig& c) { std::erase_if(*c.steps, [](int64_t step) { return step < 1; }); });
    }
    if (steps.size() != config.steps->size()) {
        addFinding(findings, Severity::warning, "steps", "steps.duplicate", "duplicate step",
                   "list each step once", [](SessionConfig& c) { c.steps = sortedSteps(c); });
    }
    checkRunLength(config, steps, findings);
    const bool discrete = std::any_of(kRoles.begin(), kRoles.end(), [&](Role role) {
        return isRoleOn(config, input.schema, role) &&
               (config.tool == Tool::nsys
                    ? isNsysDiscrete(config, input.schema, role)
                    : config.role(role).torch.discrete.value_or(config.torch.discrete.value_or(false)));
    });
    if (config.profileContinuousSteps.value_or(false) && discrete && isVerlFamily(config.framework)) {
        addFinding(findings, Severity::warning, "profile_continuous_steps", "steps.continuous_discrete",
                   "adjacent steps cannot share a report if every stage has its own",
                   "turn profile_continuous_steps off",
                   [](SessionConfig& c) { c.profileContinuousSteps = false; });
    }
}

} // namespace lockstep
