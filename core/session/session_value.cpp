// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_value.h"

namespace lockstep {

static Result<Host> hostFrom(const ConfigValue& value)
{
    Host host;
    if (value.kind != ConfigValue::Kind::map) {
        LOCKSTEP_TRY(assign(host.name, value));
        return host;
    }
    for (size_t i = 0; i < value.keys.size(); ++i) {
        const std::string& key = value.keys[i];
        if (key == "name") {
            LOCKSTEP_TRY(assign(host.name, value.items[i]));
        } else if (key == "address") {
            LOCKSTEP_TRY(assign(host.address, value.items[i]));
        } else if (key == "agent_folder") {
            LOCKSTEP_TRY(assign(host.agentFolder, value.items[i]));
        } else if (key == "gpus") {
            LOCKSTEP_TRY(assign(host.gpus, value.items[i]));
        } else {
            host.unknown.emplace_back(key, value.items[i]);
        }
    }
    return host;
}

std::span<const std::string_view> hostKeys()
{
    static constexpr std::array<std::string_view, 4> kKeys{"name", "address", "gpus", "agent_folder"};
    return kKeys;
}

Status assign(std::vector<Host>& target, const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::null) {
        target.clear();
        return {};
    }
    if (value.kind != ConfigValue::Kind::list) return valueError(value, "a list of hosts");
    std::vector<Host> hosts;
    for (const ConfigValue& item : value.items)
        hosts.push_back(LOCKSTEP_TRY(hostFrom(item)));
    target = std::move(hosts);
    return {};
}

ConfigValue valueOf(const std::vector<Host>& hosts)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const Host& host : hosts) {
        ConfigValue map = ConfigValue::emptyMap();
        map.set("name", ConfigValue::fromText(host.name));
        if (!host.address.empty()) map.set("address", ConfigValue::fromText(host.address));
        if (host.gpus) map.set("gpus", ConfigValue::fromInt(*host.gpus));
        if (!host.agentFolder.empty()) map.set("agent_folder", ConfigValue::fromText(host.agentFolder));
        for (const auto& [key, value] : host.unknown)
            map.set(key, value);
        list.items.push_back(std::move(map));
    }
    return list;
}

Status assign(NsightOptions& target, const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::null) {
        target.clear();
        return {};
    }
    if (value.kind != ConfigValue::Kind::map) return valueError(value, "a map of option names to values");
    NsightOptions options;
    for (size_t i = 0; i < value.keys.size(); ++i) {
        NsightOption& option = options.emplace_back(NsightOption{value.keys[i], std::nullopt});
        LOCKSTEP_TRY(assign(option.value, value.items[i]));
    }
    target = std::move(options);
    return {};
}

ConfigValue valueOf(const NsightOptions& options)
{
    ConfigValue map = ConfigValue::emptyMap();
    for (const NsightOption& option : options) {
        map.set(option.name, option.value ? ConfigValue::fromText(*option.value) : ConfigValue());
    }
    return map;
}

Status assign(ConfigValue& target, const ConfigValue& value)
{
    target = value;
    return {};
}

std::optional<ConfigValue> writtenValue(const ConfigValue& value)
{
    return value.kind == ConfigValue::Kind::null ? std::nullopt : std::optional<ConfigValue>(value);
}

} // namespace lockstep
