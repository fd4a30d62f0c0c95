// SPDX-License-Identifier: Apache-2.0
#include "core/session/field_defaults.h"

#include <algorithm>
#include <map>
#include <span>

#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

constexpr std::string_view kRolePrefix = "roles.";

ConfigValue defaultWord(std::string_view text)
{
    return ConfigValue::fromText(std::string(text));
}

ConfigValue defaultWords(std::initializer_list<std::string_view> texts)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const std::string_view text : texts)
        list.items.push_back(defaultWord(text));
    return list;
}

// Returns the defaults that do not depend on the session. Those of verl are from its YAML files, those of
// Lockstep capture from capture/inject/settings.cpp.
const std::map<std::string_view, ConfigValue>& constantDefaults()
{
    static const std::map<std::string_view, ConfigValue> kDefaults{
        {"name", defaultWord("session")},
        {"launcher.hold_nodes_s", lockstep::valueOf(kHoldNodes_s)},
        {"launcher.start_ray", lockstep::valueOf(false)},
        {"profile_continuous_steps", lockstep::valueOf(false)},
        {"discrete", lockstep::valueOf(false)},
        {"clock_exchange", lockstep::valueOf(ClockExchangeUse::on)},
        {"torch.discrete", lockstep::valueOf(false)},
        {"torch.schedule.skip_first", lockstep::valueOf(int64_t{0})},
        {"torch.schedule.wait", lockstep::valueOf(int64_t{0})},
        {"torch.schedule.warmup", lockstep::valueOf(int64_t{0})},
        {"torch.schedule.active", lockstep::valueOf(int64_t{0})},
        {"torch.schedule.repeat", lockstep::valueOf(int64_t{0})},
        {"torch_memory.max_entries", lockstep::valueOf(int64_t{100'000})},
        {"torch_memory.stack_depth", lockstep::valueOf(int64_t{32})},
        {"npu.analysis", lockstep::valueOf(true)},
        {"npu.discrete", lockstep::valueOf(false)},
        {"precision_debugger.strict", lockstep::valueOf(false)},
        {"hooks.all_ranks", lockstep::valueOf(false)},
        {"hooks.relocate_results", lockstep::valueOf(false)},
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
    if (isVerlFamily(config.framework)) return defaultWord("outputs/profile");
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

std::optional<ConfigValue> sessionDefault(const SessionConfig& config, VerlSchema schema,
                                          std::string_view path)
{
    SessionConfig unset = config;
    if (path == "save_path") return savePathDefault(config);
    if (path == "total_steps") {
        unset.totalSteps.reset();
        return writtenValue(knownTotalSteps(unset));
    }
    if (path == "torch.contents") {
        if (!isVerlFamily(config.framework) || !hasTorchContents(schema)) return std::nullopt;
        return defaultWords({"cpu", "cuda"}); // an empty list selects both, without shapes, stacks and memory
    }
    if (path == "npu.contents") {
        if (schema == VerlSchema::v0_5_0) return defaultWords({"npu", "cpu"});
        return std::nullopt;
    }
    if (path == "npu.level") {
        if (schema == VerlSchema::v0_6_0) return defaultWord("level1");
        return schema >= VerlSchema::v0_9_0 ? std::optional(defaultWord("level0")) : std::nullopt;
    }
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

std::optional<ConfigValue> roleDefault(const SessionConfig& config, VerlSchema schema, Role role,
                                       std::string_view name)
{
    const bool isCopy = role == Role::rollout && rolloutCopies(config, schema);
    if (isCopy) {
        if (auto actors = valueInSession(config, "roles.actor." + std::string(name))) return actors;
    }
    if (isInherited(config, role, name)) {
        if (auto sessions = valueInSession(config, name)) return sessions;
    }
    return sessionDefault(config, schema, name);
}

NsightOptions verlNsysOptions(bool isController)
{
    NsightOptions options{
        {"trace", "cuda,nvtx,cublas,ucx"}, {"cuda-memory-usage", "true"}, {"cuda-graph-trace", "graph"}};
    if (!isController) {
        setOption(options, "capture-range", "cudaProfilerApi");
        setOption(options, "kill", "none");
    }
    return options;
}

} // namespace

std::optional<ConfigValue> fieldDefault(const SessionConfig& config, VerlSchema schema, std::string_view path)
{
    if (!path.starts_with(kRolePrefix)) return sessionDefault(config, schema, path);
    path.remove_prefix(kRolePrefix.size());
    const size_t dot = path.find('.');
    const std::optional<Role> role = enumFromWord<Role>(path.substr(0, dot));
    if (!role || dot == path.npos) return std::nullopt;
    return roleDefault(config, schema, *role, path.substr(dot + 1));
}

NsightOptions frameworkNsysOptions(const SessionConfig& config, bool isController)
{
    if (isVerlFamily(config.framework)) return verlNsysOptions(isController);
    if (isController) return {};
    if (config.framework == Framework::nemoRl) {
        return {{"trace", "cuda,nvtx"},        {"sample", "none"},
                {"stop-on-exit", "true"},      {"capture-range", "cudaProfilerApi"},
                {"capture-range-end", "stop"}, {"cuda-graph-trace", "node"}};
    }
    return nsysProfileDefaults(config);
}

} // namespace lockstep
