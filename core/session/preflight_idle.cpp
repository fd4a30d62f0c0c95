// SPDX-License-Identifier: Apache-2.0
// Preflight rules about settings for a tool that the run does not use. Such settings have no effect.
#include <algorithm>

#include "core/session/preflight_rules.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

bool isUsed(const SessionConfig& config, Tool tool)
{
    return config.tool == tool || std::any_of(config.roles.begin(), config.roles.end(),
                                              [&](const RoleProfile& role) { return role.tool == tool; });
}

void addIdle(const SessionConfig& config, std::string field, std::string rule, std::string_view what,
             SessionEdit clear, Findings& findings)
{
    addFinding(findings, Severity::warning, std::move(field), std::move(rule),
               "the tool is " + std::string(enumName(*config.tool)) + ": " + std::string(what) +
                   " have no effect",
               "remove them", std::move(clear));
}

void checkIdleNsys(const SessionConfig& config, VerlSchema schema, Findings& findings)
{
    const auto options = [&](const NsightOptions& set, const char* field, SessionEdit clear) {
        if (!set.empty()) addIdle(config, field, "nsys.unused", "nsys options", std::move(clear), findings);
    };
    options(config.controllerOptions, "nsys.controller_options",
            [](SessionConfig& c) { c.controllerOptions.clear(); });
    options(config.workerOptions, "nsys.worker_options", [](SessionConfig& c) { c.workerOptions.clear(); });
    options(config.nemo.extraOptions, "nemo_rl.extra_options",
            [](SessionConfig& c) { c.nemo.extraOptions.clear(); });
    if (config.tool == Tool::capture) return; // capture also supports one report per stage
    // verl 0.5.0 has one discrete setting for nsys and the NPU profiler.
    if (config.tool == Tool::npu && schema == VerlSchema::v0_5_0) return;
    // For torch, another rule reports that discrete is a different setting from torch.discrete.
    if (config.discrete && config.tool != Tool::torch) {
        addIdle(
            config, "discrete", "discrete.unused", "nsys reports per stage",
            [](SessionConfig& c) { c.discrete.reset(); }, findings);
    }
    for (const Role role : kRoles) {
        if (!config.role(role).discrete) continue;
        addIdle(
            config, "roles." + std::string(enumName(role)) + ".discrete", "discrete.unused",
            "nsys reports per stage", [role](SessionConfig& c) { c.role(role).discrete.reset(); }, findings);
    }
}

} // namespace

void checkIdleSettings(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool) return;
    if (!isUsed(config, Tool::nsys)) checkIdleNsys(config, input.schema, findings);
    const bool torch = isUsed(config, Tool::torch), memory = isUsed(config, Tool::torchMemory);
    if (!torch && config.torch.isSet()) {
        addIdle(
            config, "torch", "torch.unused", "torch.profiler settings",
            [](SessionConfig& c) { c.torch = {}; }, findings);
    }
    if (!memory && config.torchMemory != TorchMemoryOptions{}) {
        addIdle(
            config, "torch_memory", "torch_memory.unused", "memory snapshot settings",
            [](SessionConfig& c) { c.torchMemory = {}; }, findings);
    }
    for (const Role role : kRoles) {
        const std::string path = "roles." + std::string(enumName(role)) + ".";
        if (!torch && config.role(role).torch.isSet()) {
            addIdle(
                config, path + "torch", "torch.unused", "torch.profiler settings",
                [role](SessionConfig& c) { c.role(role).torch = {}; }, findings);
        }
        if (!memory && config.role(role).torchMemory != TorchMemoryOptions{}) {
            addIdle(
                config, path + "torch_memory", "torch_memory.unused", "memory snapshot settings",
                [role](SessionConfig& c) { c.role(role).torchMemory = {}; }, findings);
        }
    }
}

} // namespace lockstep
