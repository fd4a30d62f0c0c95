#include "core/session/verl_settings.h"

#include <algorithm>

#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

constexpr std::string_view kRangeEnd = "capture-range-end";

void addOptions(std::vector<std::string>& overrides, const NsightOptions& options, std::string_view prefix,
                std::string_view sign)
{
    for (const NsightOption& option : options) {
        const std::string value = option.value ? hydraQuoted(*option.value) : "null";
        overrides.push_back(std::string(sign) + std::string(prefix) + option.name + "=" + value);
    }
}

bool usesNsys(const SessionConfig& config, VerlSchema schema)
{
    return config.tool == Tool::nsys || (isOldVerl(schema) && !config.tool);
}

Result<bool> takeOption(NsightOptions& options, std::string_view name, const ConfigValue& value)
{
    if (name.empty() || !value.isScalar()) return valueError(value, "one piece of text");
    const bool isNull = value.kind == ConfigValue::Kind::null;
    setOption(options, name, isNull ? std::nullopt : std::optional<std::string>(value.text));
    return true;
}

void liftTorch(SessionConfig& config, VerlSchema schema)
{
    const TorchOptions* shared = nullptr;
    for (const Role role : kRoles) {
        const RoleProfile& profile = config.role(role);
        if (!profile.enable.value_or(false) || !isRoleOn(config, schema, role)) continue;
        if (!profile.torch.isSet() || (shared != nullptr && *shared != profile.torch)) return;
        shared = &profile.torch;
    }
    if (shared == nullptr) return;
    config.torch = *shared;
    for (const Role role : kRoles) {
        if (config.role(role).enable.value_or(false) && isRoleOn(config, schema, role)) config.role(role).torch = {};
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
    const std::string sign = isOldVerl(schema) ? "" : "++";
    std::vector<std::string> overrides;
    for (const VerlKey& key : verlKeys(config.framework, schema)) {
        // verl knows nothing of Lockstep's own recording.
        if (key.key == "global_profiler.tool" && config.tool == Tool::capture) continue;
        if (const std::optional<ConfigValue> value = key.write(config)) {
            overrides.push_back(sign + key.key + "=" + hydraText(*value));
        }
    }
    addOptions(overrides, config.controllerOptions, controllerOptionsPrefix(schema), sign);
    addOptions(overrides, config.workerOptions, workerOptionsPrefix(schema), sign);
    const std::optional<std::string> computed = computedCaptureRangeEnd(config, schema);
    const int64_t verlsOwn = 6 * static_cast<int64_t>(config.steps ? config.steps->size() : 0);
    const bool enough = isOldVerl(schema) && captureRangeCount(config, schema) <= verlsOwn;
    if (computed && !enough && findOption(config.workerOptions, kRangeEnd) == nullptr) {
        addOptions(overrides, {{std::string(kRangeEnd), *computed}}, workerOptionsPrefix(schema), sign);
    }
    overrides.insert(overrides.end(), config.otherOverrides.begin(), config.otherOverrides.end());
    return overrides;
}

Result<bool> takeVerlSetting(SessionConfig& config, VerlSchema schema, std::string_view key, const ConfigValue& value)
{
    for (const bool isWorker : {true, false}) {
        const std::string_view prefix = isWorker ? workerOptionsPrefix(schema) : controllerOptionsPrefix(schema);
        if (!key.starts_with(prefix)) continue;
        return takeOption(isWorker ? config.workerOptions : config.controllerOptions, key.substr(prefix.size()), value);
    }
    const VerlKey* known = findVerlKey(config.framework, schema, key);
    if (known == nullptr) return false;
    return known->read(config, value);
}

void settleVerlSettings(SessionConfig& config, VerlSchema schema)
{
    for (RoleProfile& profile : config.roles) {
        if (profile.tool == config.tool) profile.tool.reset();
    }
    const NsightOption* end = findOption(config.workerOptions, kRangeEnd);
    if (end != nullptr && (!end->value || end->value == computedCaptureRangeEnd(config, schema))) {
        eraseOption(config.workerOptions, kRangeEnd);
    }
    liftTorch(config, schema);
    if (isOldVerl(schema) && config.steps && !config.tool) config.tool = Tool::nsys;
}

} // namespace lockstep
