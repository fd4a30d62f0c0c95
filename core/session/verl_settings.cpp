// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_settings.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

// Tool settings for a role whose tool map is missing in verl's YAML. Instead of the map, the YAML has an
// interpolation (reward_model and rollout in 0.6 to 0.7.0 copy the actor's tool_config) or nothing. Hydra
// would replace it with an empty map, which would lack the copied settings and the _target_ from which verl
// creates its object. The map is therefore written completely.
struct VerlSetting {
    std::string key;
    ConfigValue value;
};

std::string_view targetOf(std::string_view tool)
{
    if (tool == "nsys") return "NsightToolConfig";
    if (tool == "torch") return "TorchProfilerToolConfig";
    if (tool == "torch_memory") return "TorchMemoryToolConfig";
    return tool == "npu" ? "NPUToolConfig" : "PrecisionDebuggerToolConfig";
}

// Sets a value in a map of maps at the path "a.b.c".
void put(ConfigValue& map, std::string_view path, const ConfigValue& value)
{
    const size_t dot = path.find('.');
    const std::string first(path.substr(0, dot));
    if (dot == path.npos) {
        map.set(first, value);
        return;
    }
    const ConfigValue* found = map.find(first);
    ConfigValue inner = found != nullptr ? *found : ConfigValue::emptyMap();
    put(inner, path.substr(dot + 1), value);
    map.set(first, std::move(inner));
}

// Adds the settings that the role would otherwise have copied: the actor's settings for the tool, otherwise
// the session's.
void addCopied(ConfigValue& map, const SessionConfig& config, VerlSchema schema, std::string_view tool)
{
    const VerlTrainer trainer = trainerOf(config);
    const std::string block(roleBlockKey(trainer, schema, Role::actor));
    const std::string begin = block + ".tool_config." + std::string(tool) + ".";
    const std::string shared = "global_profiler.global_tool_config." + std::string(tool) + ".";
    for (const std::string& prefix : {shared, begin}) {
        for (const VerlKey& key : verlKeys(trainer, schema)) {
            if (!key.key.starts_with(prefix)) continue;
            if (const std::optional<ConfigValue> value = key.write(config))
                put(map, key.key.substr(prefix.size()), *value);
        }
    }
}

ConfigValue toolMap(const SessionConfig& config, VerlSchema schema, std::string_view tool)
{
    ConfigValue map = ConfigValue::emptyMap();
    map.set("_target_", ConfigValue::fromText("verl.utils.profiler.config." + std::string(targetOf(tool))));
    addCopied(map, config, schema, tool);
    return map;
}

ConfigValue wholeToolBlock(const SessionConfig& config, VerlSchema schema, Role role, const std::string& node,
                           const std::vector<VerlSetting>& settings)
{
    constexpr std::string_view kAll = ".tool_config";
    if (!node.ends_with(kAll)) {
        ConfigValue map = toolMap(config, schema, node.substr(node.rfind('.') + 1));
        for (const VerlSetting& setting : settings)
            put(map, setting.key.substr(node.size() + 1), setting.value);
        return map;
    }
    ConfigValue map = ConfigValue::emptyMap();
    const std::optional<Tool> tool = config.role(role).tool ? config.role(role).tool : config.tool;
    if (tool && *tool != Tool::capture) {
        const std::string word(enumName(*tool));
        map.set(word, toolMap(config, schema, word));
    }
    for (const VerlSetting& setting : settings) {
        const std::string path = setting.key.substr(node.size() + 1);
        const std::string word = path.substr(0, path.find('.'));
        if (map.find(word) == nullptr) map.set(word, toolMap(config, schema, word));
        put(map, path, setting.value);
    }
    return map;
}

// Returns the individual settings in a map. Their keys are joined with '.'; keys that begin with '_' are left
// out.
std::vector<VerlSetting> settingsOfMap(std::string_view key, const ConfigValue& map)
{
    std::vector<VerlSetting> settings;
    for (size_t i = 0; i < map.keys.size(); ++i) {
        if (map.keys[i].starts_with('_')) continue;
        const std::string path = std::string(key) + "." + map.keys[i];
        if (map.items[i].kind == ConfigValue::Kind::map) {
            for (VerlSetting& inner : settingsOfMap(path, map.items[i]))
                settings.push_back(std::move(inner));
        } else {
            settings.push_back({path, map.items[i]});
        }
    }
    return settings;
}

constexpr std::string_view kRangeEnd = "capture-range-end";

void addOptions(std::vector<std::string>& overrides, const NsightOptions& options, VerlSchema schema,
                bool isWorker)
{
    const std::string prefix(isWorker ? workerOptionsPrefix(schema) : controllerOptionsPrefix(schema));
    for (const NsightOption& option : options) {
        const std::string value = option.value ? hydraQuoted(*option.value) : "null";
        // A plain key must already exist in the YAML (error "not in struct"), and the YAML contains only few
        // nsys options.
        const bool isPlain = isOldVerl(schema) && isVerlNsysOption(option.name, isWorker);
        overrides.push_back((isPlain ? "" : "++") + prefix + option.name + "=" + value);
    }
}

// verl does not know Lockstep capture, and none of verl's own tools may run at the same time. The settings
// through which verl's files could select a tool are therefore turned off. In releases up to 0.5.0, setting
// the steps is sufficient to start nsys.
std::vector<VerlSetting> withoutOwnProfiler(const SessionConfig& config, VerlSchema schema)
{
    std::vector<VerlSetting> off;
    for (const VerlKey& key : verlKeys(trainerOf(config), schema)) {
        const bool isSteps = key.field == "steps", isTool = key.field == "tool";
        const bool isOmniRole = config.framework == Framework::verlOmni && key.field.starts_with("roles.") &&
                                key.field.ends_with(".enable");
        if (isTool || (isSteps && isOldVerl(schema)))
            off.push_back({key.key, {}}); // written as null
        else if (isOmniRole && key.wholeNode.empty())
            off.push_back(
                {key.key, valueOf(false)}); // role blocks do not inherit the tool; the default is torch
    }
    return off;
}

// Returns the session's settings. If the YAML lacks a map, the settings in that map are merged at the
// position of the first of them.
std::vector<VerlSetting> chosenSettings(const SessionConfig& config, VerlSchema schema)
{
    std::vector<VerlSetting> chosen;
    std::map<std::string, std::pair<Role, std::vector<VerlSetting>>> parts;
    if (config.tool == Tool::capture) return withoutOwnProfiler(config, schema);
    for (const VerlKey& key : verlKeys(trainerOf(config), schema)) {
        std::optional<ConfigValue> value = key.write(config);
        if (!value) continue;
        if (key.wholeNode.empty()) {
            chosen.push_back({key.key, std::move(*value)});
            continue;
        }
        auto& [role, inside] = parts[key.wholeNode];
        role = key.wholeNode.starts_with("actor_rollout_ref.rollout.") ? Role::rollout : Role::reward;
        if (inside.empty()) chosen.push_back({key.wholeNode, {}});
        inside.push_back({key.key, std::move(*value)});
    }
    for (VerlSetting& setting : chosen) {
        const auto part = parts.find(setting.key);
        if (part == parts.end()) continue;
        setting.value = wholeToolBlock(config, schema, part->second.first, part->first, part->second.second);
    }
    return chosen;
}

// Returns the value of an override without quotes; "" for null.
std::string plainOverride(const HydraOverride& parsed)
{
    if (!parsed.value || parsed.value->kind == ConfigValue::Kind::null) return {};
    return parsed.value->isScalar() ? parsed.value->text : hydraText(*parsed.value);
}

bool usesNsys(const SessionConfig& config, VerlSchema schema)
{
    return config.tool == Tool::nsys || (isOldVerl(schema) && !config.tool);
}

Status takeOption(NsightOptions& options, std::string_view name, const ConfigValue& value)
{
    if (name.empty() || !value.isScalar()) return valueError(value, "a single value");
    const bool isNull = value.kind == ConfigValue::Kind::null;
    setOption(options, name, isNull ? std::nullopt : std::optional<std::string>(value.text));
    return {};
}

// Moves the settings that all explicitly enabled roles have in common to the session.
template<class Options, class Get>
void moveCommonSettings(SessionConfig& config, VerlSchema schema, Options& session, Get get)
{
    const auto isEnabled = [&](Role role) {
        return config.role(role).enable.value_or(false) && isRoleOn(config, schema, role);
    };
    const Options* shared = nullptr;
    for (const Role role : kRoles) {
        const Options& own = get(config.role(role));
        if (!isEnabled(role)) continue;
        if (!own.isSet() || (shared != nullptr && *shared != own)) return;
        shared = &own;
    }
    if (shared == nullptr) return;
    session = *shared;
    for (const Role role : kRoles) {
        if (isEnabled(role)) get(config.role(role)) = {};
    }
}

} // namespace

std::optional<std::string> computedCaptureRangeEnd(const SessionConfig& config, VerlSchema schema)
{
    const int64_t count = captureRangeCount(config, schema);
    if (!usesNsys(config, schema) || count == 0) return std::nullopt;
    return "repeat-shutdown:" + std::to_string(count);
}

std::vector<std::string> verlOverrides(const SessionConfig& config, VerlSchema schema)
{
    const std::string keyPrefix = isOldVerl(schema) ? "" : "++";
    std::vector<std::string> overrides;
    for (const VerlSetting& setting : chosenSettings(config, schema))
        overrides.push_back(keyPrefix + setting.key + "=" + hydraText(setting.value));
    addOptions(overrides, config.controllerOptions, schema, false);
    addOptions(overrides, config.workerOptions, schema, true);
    const std::optional<std::string> computed = computedCaptureRangeEnd(config, schema);
    const int64_t verlDefault = 6 * static_cast<int64_t>(config.steps ? config.steps->size() : 0);
    const bool enough = isOldVerl(schema) && captureRangeCount(config, schema) <= verlDefault;
    if (computed && !enough && findOption(config.workerOptions, kRangeEnd) == nullptr) {
        addOptions(overrides, {{std::string(kRangeEnd), *computed}}, schema, true);
    }
    overrides.insert(overrides.end(), config.otherOverrides.begin(), config.otherOverrides.end());
    return overrides;
}

Result<bool> importVerlSetting(SessionConfig& config, VerlSchema schema, std::string_view key,
                               const ConfigValue& value)
{
    for (const bool isWorker : {true, false}) {
        const std::string_view prefix =
            isWorker ? workerOptionsPrefix(schema) : controllerOptionsPrefix(schema);
        if (!key.starts_with(prefix)) continue;
        LOCKSTEP_TRY(takeOption(isWorker ? config.workerOptions : config.controllerOptions,
                                key.substr(prefix.size()), value));
        return true;
    }
    const VerlKey* known = findVerlKey(trainerOf(config), schema, key);
    if (known != nullptr) {
        LOCKSTEP_TRY(known->read(config, value));
        return true;
    }
    // Imports all settings of a map, or none of them if one is unknown.
    const std::vector<VerlSetting> inside = settingsOfMap(key, value);
    SessionConfig trial = config;
    for (const VerlSetting& setting : inside) {
        if (!LOCKSTEP_TRY(importVerlSetting(trial, schema, setting.key, setting.value))) return false;
    }
    if (!inside.empty()) config = std::move(trial);
    return !inside.empty();
}

std::optional<std::string> toolFromArguments(const SessionConfig& config)
{
    std::optional<std::string> found;
    for (const std::vector<std::string>* words : {&config.command, &config.otherOverrides}) {
        for (const std::string& word : *words) {
            const size_t equals = word.find('=');
            const std::string key = word.substr(0, equals);
            const bool isTool = key.ends_with("profiler.tool") || key.ends_with("trainer.profile_steps") ||
                                key == "NRL_NSYS_WORKER_PATTERNS";
            if (!isTool || equals == word.npos) continue;
            const Result<HydraOverride> parsed = parseHydraOverride(word);
            if (!parsed || !plainOverride(*parsed).empty()) found = word;
        }
    }
    for (const auto& [name, value] : config.environment) {
        if (name == "NRL_NSYS_WORKER_PATTERNS" && !value.empty()) found = name + "=" + value;
    }
    return found;
}

std::optional<int64_t> rolloutWorldSize(const SessionConfig& config)
{
    constexpr int64_t kMax = 10'000'000; // larger than any cluster; prevents the product from overflowing
    for (const std::string prefix : {"rollout.", "actor_rollout_ref.rollout."}) {
        const auto nodes = overrideValue(config, prefix + "nnodes");
        const auto gpus = overrideValue(config, prefix + "n_gpus_per_node");
        const int64_t n = nodes ? parseInt(*nodes).value_or(0) : 0;
        const int64_t g = gpus ? parseInt(*gpus).value_or(0) : 0;
        if (n > 0 && g > 0 && n < kMax && g < kMax) return n * g;
    }
    return knownWorldSize(config);
}

void normalizeVerlSettings(SessionConfig& config, VerlSchema schema)
{
    for (RoleProfile& profile : config.roles) {
        if (profile.tool == config.tool) profile.tool.reset();
    }
    const NsightOption* end = findOption(config.workerOptions, kRangeEnd);
    if (end != nullptr && (!end->value || end->value == computedCaptureRangeEnd(config, schema))) {
        eraseOption(config.workerOptions, kRangeEnd);
    }
    moveCommonSettings(config, schema, config.torch,
                       [](RoleProfile& role) -> TorchOptions& { return role.torch; });
    moveCommonSettings(config, schema, config.npu, [](RoleProfile& role) -> NpuOptions& { return role.npu; });
    if (!isOldVerl(schema) || !config.steps || config.tool) return;
    config.tool = config.npu.isSet() ? Tool::npu : Tool::nsys;
}

} // namespace lockstep
