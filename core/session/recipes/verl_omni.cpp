// SPDX-License-Identifier: Apache-2.0
// Recipe for VeRL-Omni: diffusion training with verl's profiler settings as of release 0.6.
#include "core/session/recipes/verl.h"

namespace lockstep {

static void checkVerlOmni(const RecipeInput& input, Findings& findings)
{
    const RoleProfile& critic = input.config.role(Role::critic);
    const bool isDiffusion = trainerOf(input.config) == VerlTrainer::omniDiffusion;
    if (isDiffusion && (critic.enable.value_or(false) || critic.ranks)) {
        addFinding(findings, Severity::warning, "roles.critic.enable", "omni.critic",
                   "diffusion training has no critic; its settings are ignored", "remove them",
                   [](SessionConfig& c) { c.role(Role::critic) = {}; });
    }
    checkVerl(input, findings);
}

Recipe verlOmniRecipe()
{
    static constexpr std::array kTools{Tool::nsys, Tool::torch, Tool::torchMemory, Tool::npu, Tool::capture};
    return {Framework::verlOmni, "VeRL-Omni", false, true, kTools, verlProgram, forecastVerl, checkVerlOmni};
}

} // namespace lockstep
