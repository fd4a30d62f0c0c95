// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/verl.h"

#include "core/session/recipes/verl_reports.h"
#include "core/session/recipes/verl_rules.h"

namespace lockstep {

Recipe verlRecipe()
{
    static constexpr std::array kTools{
        Tool::nsys, Tool::torch, Tool::torchMemory, Tool::npu, Tool::precisionDebugger, Tool::capture};
    return {Framework::verl, "verl", false, true, kTools, verlProgram, forecastVerl, checkVerl};
}

} // namespace lockstep
