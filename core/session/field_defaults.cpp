// SPDX-License-Identifier: Apache-2.0
#include "core/session/field_defaults.h"

#include <algorithm>
#include <map>
#include <span>

#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::string_view kRolePrefix = "roles.";

ConfigValue defaultWord(std::string_view text)
{
    return ConfigValue::fromText(std::string(text));
}

// Returns the defaults that do not depend on the session. Those of Lockstep capture are from
// capture/inject/settings.cpp.
const std::map<std::string_view, ConfigValue>& constantDefaults()
{
    static const std::map<std::string_view, ConfigValue> kDefaults{
        {"name", defaultWord("session")},
        {"launcher.hold_nodes_s", lockstep::valueOf(kHoldNodes_s)},
        {"launcher.start_ray", lockstep::valueOf(false)},
        {"profile_continuous_steps", lockstep::valueOf(false)},
        {"discrete", lockstep::valueOf(false)},
        {"clock_exchange", lockstep::valueOf(ClockExchangeUse::on)},
        {"capture.cuda", lockstep::valueOf(true)},
        {"capture.graph_trace", lockstep::valueOf(GraphTrace::node)},
        {"capture.when_full", lockstep::valueOf(WhenFull::drop)},
        {"torchrun.nsys_placement", lockstep::valueOf(NsysPlacement::node)},
        {"enable", lockstep::valueOf(false)},
        {"all_ranks", lockstep::valueOf(false)},
    };
    return kDefaults;
}

std::optional<ConfigValue> savePathDefault(const SessionConfig& config)
{
    SessionConfig unset = config;
    unset.savePath.reset();
    if (config.tool == Tool::capture) return defaultWord(captureFolder(unset));
    if (config.tool == Tool::nsys) return defaultWord(nsysFolder(unset));
    return defaultWord(ownTraceFolder(unset));
}

// torchrun starts a process per GPU. The number is known if all hosts have the same.
std::optional<ConfigValue> processesDefault(const SessionConfig& config)
{
    if (config.hosts.empty() || !config.hosts.front().gpus) return std::nullopt;
    const auto isSame = [&](const Host& host) { return host.gpus == config.hosts.front().gpus; };
    if (!std::ranges::all_of(config.hosts, isSame)) return std::nullopt;
    return lockstep::valueOf(*config.hosts.front().gpus);
}

std::optional<ConfigValue> captureStepsDefault(const SessionConfig& config)
{
    SessionConfig unset = config;
    unset.capture.stepsAre.reset();
    const std::optional<CaptureSteps> steps = captureStepsAre(unset);
    return steps ? std::optional(lockstep::valueOf(*steps)) : std::nullopt;
}

// Returns the default in the framework's recipe.
std::optional<ConfigValue> recipeDefault(const SessionConfig& config, size_t era, std::string_view path)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr || config.tool == Tool::capture) return std::nullopt;
    const std::string entry = entryOfCommand(*recipe, config.command);
    for (const auto* list : {&recipe->roleSettings, &recipe->settings}) {
        for (const RecipeSetting& setting : *list) {
            const bool isHere = setting.field == path && recipe->applies(setting.limits, era, entry) &&
                                recipe->destination(setting.to, era, entry) != nullptr;
            const bool isSet = setting.defaultValue && setting.defaultValue->kind != ConfigValue::Kind::null;
            if (isHere && isSet && setting.type != RecipeType::textMap) return setting.defaultValue;
        }
    }
    return std::nullopt;
}

std::optional<ConfigValue> sessionDefault(const SessionConfig& config, size_t era, std::string_view path)
{
    SessionConfig unset = config;
    if (path == "save_path") {
        const std::optional<ConfigValue> recipes = recipeDefault(config, era, path);
        return recipes ? recipes : savePathDefault(config);
    }
    if (path == "total_steps") {
        unset.totalSteps.reset();
        return writtenValue(knownTotalSteps(unset));
    }
    if (const auto recipes = recipeDefault(config, era, path); recipes) return recipes;
    if (path == "capture.range") {
        unset.capture.range.clear();
        return defaultWord(captureRange(unset));
    }
    if (path == "capture.steps_are") return captureStepsDefault(config);
    if (path == "capture.ranks") {
        unset.capture.ranks.reset();
        return writtenValue(captureRanks(unset));
    }
    if (path == "torchrun.processes_per_node") return processesDefault(config);
    const auto constant = constantDefaults().find(path);
    return constant == constantDefaults().end() ? std::nullopt : std::optional(constant->second);
}

std::optional<ConfigValue> valueInSession(const SessionConfig& config, std::string_view path)
{
    const SessionField* const field = findSessionField(path);
    return field == nullptr ? std::nullopt : field->write(config);
}

// A role with torch or npu settings of its own inherits none of the session's torch or npu settings.
bool isInherited(const SessionConfig& config, Role role, std::string_view name)
{
    if (name.starts_with("torch.")) return !config.role(role).torch.isSet();
    if (name.starts_with("npu.")) return !config.role(role).npu.isSet();
    return true;
}

std::optional<ConfigValue> roleDefault(const SessionConfig& config, size_t era, Role role,
                                       std::string_view name)
{
    if (const std::optional<Role> other = copiedRole(config, era, role); other) {
        const std::string path = "roles." + std::string(enumName(*other)) + "." + std::string(name);
        if (auto others = valueInSession(config, path)) return others;
    }
    if (isInherited(config, role, name)) {
        if (auto sessions = valueInSession(config, name)) return sessions;
    }
    return sessionDefault(config, era, name);
}

} // namespace

std::optional<ConfigValue> fieldDefault(const SessionConfig& config, size_t era, std::string_view path)
{
    if (!path.starts_with(kRolePrefix)) return sessionDefault(config, era, path);
    path.remove_prefix(kRolePrefix.size());
    const size_t dot = path.find('.');
    const std::optional<Role> role = enumFromWord<Role>(path.substr(0, dot));
    if (!role || dot == path.npos) return std::nullopt;
    return roleDefault(config, era, *role, path.substr(dot + 1));
}

NsightOptions frameworkNsysOptions(const SessionConfig& config, bool isController)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    const char* const field = isController ? "nsys.controller_options" : "nsys.worker_options";
    const RecipeSetting* setting = recipe == nullptr ? nullptr : recipe->findSetting(field);
    NsightOptions options;
    if (setting != nullptr && setting->defaultValue && assign(options, *setting->defaultValue))
        return options;
    return isController ? options : nsysProfileDefaults(config);
}

} // namespace lockstep
