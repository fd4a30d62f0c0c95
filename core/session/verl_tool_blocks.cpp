// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_tool_blocks.h"

#include <algorithm>

#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

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

} // namespace

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

} // namespace lockstep
