// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_fields.h"

#include <algorithm>
#include <map>

#include "core/servers/server_url.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

using Fields = std::vector<SessionField>;

// Adds a field. get(config) returns the field's member; it must work for const and non-const configs.
template<class Get>
void add(Fields& fields, std::string path, std::string comment, Get get)
{
    fields.push_back(
        {std::move(path), std::move(comment),
         [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
         [get](const SessionConfig& config) { return writtenValue(get(config)); }});
}

// "$NAME" refers to the previous value, so that editing other variables does not lose the value.
Status readEnvironment(SessionConfig& config, const ConfigValue& value)
{
    TextPairs read;
    LOCKSTEP_TRY(assign(read, value));
    for (auto& [name, text] : read) {
        if (!isSecret(config, name) || !isSecretReference(name, text)) continue;
        for (const auto& [known, previous] : config.environment) {
            if (known == name) text = previous;
        }
    }
    config.environment = std::move(read);
    return {};
}

std::optional<ConfigValue> writeEnvironment(const SessionConfig& config)
{
    return writtenValue(writtenEnvironment(config));
}

Status readSettings(SessionConfig& config, const ConfigValue& value)
{
    const bool isEmpty = value.kind == ConfigValue::Kind::null || (value.items.empty() && value.keys.empty());
    if (value.kind != ConfigValue::Kind::map && value.kind != ConfigValue::Kind::null)
        return valueError(value, "a map of names to values");
    config.settings = isEmpty ? ConfigValue() : value;
    return {};
}

#define LOCKSTEP_MEMBER(member)                                                                              \
    [](auto& config) -> auto&                                                                                \
    {                                                                                                        \
        return config.member;                                                                                \
    }

void addLaunchFields(Fields& fields)
{
    add(fields, "name", "name of this session", LOCKSTEP_MEMBER(name));
    add(fields, "framework", "name of a recipe, such as slime or torchrun; command for any program",
        LOCKSTEP_MEMBER(framework));
    add(fields, "schema", "version of the framework in its recipe, such as 0.9.0 or head",
        LOCKSTEP_MEMBER(schema));
    add(fields, "launcher.kind", "ssh, slurm, ray_job or local", LOCKSTEP_MEMBER(launcher.kind));
    add(fields, "launcher.login_node", "where sbatch runs", LOCKSTEP_MEMBER(launcher.loginNode));
    add(fields, "launcher.slurm_options", "arguments for sbatch", LOCKSTEP_MEMBER(launcher.slurmOptions));
    add(fields, "launcher.batch_script", "a script that reads COMMAND from its environment, such as ray.sub",
        LOCKSTEP_MEMBER(launcher.batchScript));
    add(fields, "launcher.agent_folder",
        "default folder on the hosts for the agent and its runs; under Slurm, login node and nodes must share it",
        LOCKSTEP_MEMBER(launcher.agentFolder));
    add(fields, "launcher.hold_nodes_s",
        "maximum seconds that a Slurm job keeps its nodes after the program ends, until reports on their own "
        "disks are collected; default 600, 0 releases the nodes at once",
        LOCKSTEP_MEMBER(launcher.holdNodes_s));
    add(fields, "launcher.ray_address", "address for ray job submit", LOCKSTEP_MEMBER(launcher.rayAddress));
    add(fields, "launcher.start_ray", "run ray start on every host first",
        LOCKSTEP_MEMBER(launcher.startRay));
    add(fields, "hosts", "in rank order: name, SSH address if different, GPUs used", LOCKSTEP_MEMBER(hosts));
    add(fields, "working_folder", "folder on the hosts in which the command runs",
        LOCKSTEP_MEMBER(workingFolder));
    add(fields, "command", "the command, as a list of arguments", LOCKSTEP_MEMBER(command));
    add(fields, "script", "a launch script on the hosts that runs unread, instead of a command",
        LOCKSTEP_MEMBER(script));
    add(fields, "args", "arguments of the script", LOCKSTEP_MEMBER(scriptArguments));
    fields.push_back({"environment",
                      "variables of the command; $NAME stands for a secret, which is never saved",
                      readEnvironment, writeEnvironment});
    add(fields, "secret", "names of further variables that are secrets", LOCKSTEP_MEMBER(secrets));
    add(fields, "container", "arguments before the command, such as docker exec trainer",
        LOCKSTEP_MEMBER(containerPrefix));
    add(fields, "total_steps", "length of the run, used by the checks", LOCKSTEP_MEMBER(totalSteps));
    add(fields, "other_overrides", "more arguments, such as Hydra overrides, passed unchanged",
        LOCKSTEP_MEMBER(otherOverrides));
}

void addRecordingFields(Fields& fields)
{
    add(fields, "tool", "nsys, torch, torch_memory, npu, precision_debugger or capture",
        LOCKSTEP_MEMBER(tool));
    add(fields, "steps", "training steps, counted from 1", LOCKSTEP_MEMBER(steps));
    add(fields, "ranks", "ranks that record, for frameworks without roles", LOCKSTEP_MEMBER(ranks));
    add(fields, "profile_continuous_steps", "adjacent steps share one report",
        LOCKSTEP_MEMBER(profileContinuousSteps));
    add(fields, "discrete", "one report per stage, for nsys and capture", LOCKSTEP_MEMBER(discrete));
    add(fields, "save_path", "folder on each node to which torch tools and capture write",
        LOCKSTEP_MEMBER(savePath));
    add(fields, "clock_exchange",
        "on (the default) or off: hosts compare their clocks during the run, over UDP",
        LOCKSTEP_MEMBER(clockExchange));
}

template<class Get>
void addTorch(Fields& fields, const std::string& path, Get torch)
{
    add(
        fields, path + ".contents",
        "any of cuda, cpu, memory, shapes, stack", [torch](auto& config) -> auto& {
            return torch(config).contents;
        });
    add(
        fields, path + ".discrete",
        "one trace per stage", [torch](auto& config) -> auto& { return torch(config).discrete; });
    add(
        fields, path + ".profile_token_start",
        "first decoded token (rollout engines)", [torch](auto& config) -> auto& {
            return torch(config).tokenStart;
        });
    add(
        fields, path + ".profile_token_end",
        "first token after the recording", [torch](auto& config) -> auto& { return torch(config).tokenEnd; });
    add(
        fields, path + ".schedule.skip_first",
        "mini-batches skipped at the start", [torch](auto& config) -> auto& {
            return torch(config).schedule.skipFirst;
        });
    add(
        fields, path + ".schedule.wait", "mini-batches idle per cycle", [torch](auto& config) -> auto& {
            return torch(config).schedule.wait;
        });
    add(
        fields, path + ".schedule.warmup",
        "mini-batches traced and discarded per cycle", [torch](auto& config) -> auto& {
            return torch(config).schedule.warmup;
        });
    add(
        fields, path + ".schedule.active",
        "mini-batches recorded per cycle; 0 turns the schedule off", [torch](auto& config) -> auto& {
            return torch(config).schedule.active;
        });
    add(
        fields, path + ".schedule.repeat",
        "number of cycles", [torch](auto& config) -> auto& { return torch(config).schedule.repeat; });
    add(
        fields, path + ".step_start",
        "first mini-batch recorded (older frameworks, instead of contents)", [torch](auto& config) -> auto& {
            return torch(config).stepStart;
        });
    add(
        fields, path + ".step_end",
        "first mini-batch after the recording (older frameworks)", [torch](auto& config) -> auto& {
            return torch(config).stepEnd;
        });
}

// at(config) returns the object that contains npu, precision and hooks: the session, or a role.
template<class Get>
void addNpu(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".contents",
        "any of npu, cpu, memory, shapes, module, stack", [at](auto& config) -> auto& {
            return at(config).npu.contents;
        });
    add(
        fields, path + ".level",
        "level_none, level0, level1 or level2", [at](auto& config) -> auto& { return at(config).npu.level; });
    add(
        fields, path + ".analysis", "parse the data on its node right away", [at](auto& config) -> auto& {
            return at(config).npu.analysis;
        });
    add(
        fields, path + ".discrete",
        "one profile per stage", [at](auto& config) -> auto& { return at(config).npu.discrete; });
    add(
        fields, path + ".profile_token_start",
        "first decoded token (rollout engines)", [at](auto& config) -> auto& {
            return at(config).npu.tokenStart;
        });
    add(
        fields, path + ".profile_token_end",
        "first token after the recording", [at](auto& config) -> auto& { return at(config).npu.tokenEnd; });
}

template<class Get>
void addPrecision(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".config_path",
        "path of msprobe's JSON file on the hosts", [at](auto& config) -> auto& {
            return at(config).precision.configPath;
        });
    add(
        fields, path + ".stages",
        "any of actor_update, actor_compute_log_prob, ref_compute_log_prob, "
        "compute_values, critic_update, compute_rm_score",
        [at](auto& config) -> auto& { return at(config).precision.stages; });
    add(
        fields, path + ".strict", "stop the run if msprobe is missing", [at](auto& config) -> auto& {
            return at(config).precision.strict;
        });
    add(
        fields, path + ".steps",
        "ignored by frameworks, which use the session's steps", [at](auto& config) -> auto& {
            return at(config).precision.steps;
        });
}

template<class Get>
void addHooks(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".command",
        "run by /bin/sh -c on the nodes after the last profiled step", [at](auto& config) -> auto& {
            return at(config).hooks.command;
        });
    add(
        fields, path + ".all_ranks",
        "run the command on every rank", [at](auto& config) -> auto& { return at(config).hooks.allRanks; });
    add(
        fields, path + ".ranks",
        "run the command on these ranks; default: the recorded ranks", [at](auto& config) -> auto& {
            return at(config).hooks.ranks;
        });
    add(
        fields, path + ".relocate_results",
        "move nsys and rollout files to save_path", [at](auto& config) -> auto& {
            return at(config).hooks.relocateResults;
        });
}

void addRole(Fields& fields, Role which)
{
    const std::string path = "roles." + std::string(enumName(which)) + ".";
    const auto role = [which](auto& config) -> auto&
    {
        return config.role(which);
    };
    add(
        fields, path + "enable", "", [role](auto& config) -> auto& { return role(config).enable; });
    add(
        fields, path + "all_ranks", "", [role](auto& config) -> auto& { return role(config).allRanks; });
    add(
        fields, path + "ranks", "", [role](auto& config) -> auto& { return role(config).ranks; });
    add(
        fields, path + "discrete", "", [role](auto& config) -> auto& { return role(config).discrete; });
    add(
        fields, path + "tool", "", [role](auto& config) -> auto& { return role(config).tool; });
    add(
        fields, path + "save_path", "", [role](auto& config) -> auto& { return role(config).savePath; });
    addTorch(
        fields, path + "torch", [role](auto& config) -> auto& { return role(config).torch; });
    add(
        fields, path + "torch_memory.max_entries",
        "", [role](auto& config) -> auto& { return role(config).torchMemory.maxEntries; });
    add(
        fields, path + "torch_memory.stack_depth",
        "", [role](auto& config) -> auto& { return role(config).torchMemory.stackDepth; });
    addNpu(fields, path + "npu", role);
    addPrecision(fields, path + "precision_debugger", role);
    addHooks(fields, path + "hooks", role);
}

void addCapture(Fields& fields)
{
    add(fields, "capture.library",
        "path of liblockstep_capture.so on the hosts; default: installed by Lockstep",
        LOCKSTEP_MEMBER(capture.library));
    add(fields, "capture.range", "cudaProfilerApi, nvtx:NAME[@DOMAIN] or all",
        LOCKSTEP_MEMBER(capture.range));
    add(fields, "capture.steps_are", "ordinals, names or listed: how steps are identified",
        LOCKSTEP_MEMBER(capture.stepsAre));
    add(fields, "capture.ranks", "ranks that record; default: all", LOCKSTEP_MEMBER(capture.ranks));
    add(fields, "capture.role", "used in report names", LOCKSTEP_MEMBER(capture.role));
    add(fields, "capture.when_full", "drop: discard and count events; block: the thread waits for room",
        LOCKSTEP_MEMBER(capture.whenFull));
    add(fields, "capture.cuda", "false: NVTX ranges only", LOCKSTEP_MEMBER(capture.cuda));
    add(fields, "capture.graph_trace", "node: each kernel of a CUDA graph; graph: each launch as a whole",
        LOCKSTEP_MEMBER(capture.graphTrace));
}

void addTools(Fields& fields)
{
    add(fields, "nsys.controller_options", "nsys profile options of the controller",
        LOCKSTEP_MEMBER(controllerOptions));
    add(fields, "nsys.worker_options", "nsys profile options of the workers, by long name without dashes",
        LOCKSTEP_MEMBER(workerOptions));
    addTorch(fields, "torch", LOCKSTEP_MEMBER(torch));
    add(fields, "torch_memory.max_entries", "allocator events kept", LOCKSTEP_MEMBER(torchMemory.maxEntries));
    add(fields, "torch_memory.stack_depth", "frames per event", LOCKSTEP_MEMBER(torchMemory.stackDepth));
    const auto whole = [](auto& config) -> auto&
    {
        return config;
    };
    addNpu(fields, "npu", whole);
    addPrecision(fields, "precision_debugger", whole);
    addHooks(fields, "hooks", whole);
    addCapture(fields);
    add(fields, "torchrun.processes_per_node", "default: the host's GPUs",
        LOCKSTEP_MEMBER(torchrun.processesPerNode));
    add(fields, "torchrun.options", "more arguments for torchrun", LOCKSTEP_MEMBER(torchrun.options));
    add(fields, "torchrun.nsys_placement", "node: one report per node; rank: one per rank",
        LOCKSTEP_MEMBER(torchrun.nsysPlacement));
    add(fields, "servers",
        "vLLM or SGLang servers for lockstep --record: URLs, or maps with url, host, kind and folder",
        LOCKSTEP_MEMBER(servers));
    add(fields, "imported_yaml", "from an imported file; kept, not part of the plan",
        LOCKSTEP_MEMBER(importedYaml));
}

#undef LOCKSTEP_MEMBER

Fields makeFields()
{
    Fields fields;
    addLaunchFields(fields);
    addRecordingFields(fields);
    for (const Role role : kRoles)
        addRole(fields, role);
    addTools(fields);
    fields.push_back({"settings", "settings of the framework's recipe, by name", readSettings,
                      [](const SessionConfig& config) { return writtenValue(config.settings); }});
    return fields;
}

} // namespace

std::span<const SessionField> sessionFields()
{
    static const Fields kFields = makeFields();
    return kFields;
}

const SessionField* findSessionField(std::string_view path)
{
    const std::span<const SessionField> fields = sessionFields();
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.path == path; });
    return found == fields.end() ? nullptr : &*found;
}

std::string_view sessionSectionComment(std::string_view path)
{
    static const std::map<std::string_view, std::string_view> kComments{
        {"launcher", "how the command is started"},
        {"roles", "which ranks of each role record; absent values use the framework's defaults"},
        {"nsys", "Nsight Systems"},
        {"torch", "torch.profiler, for every enabled role without its own settings"},
        {"torch_memory", "CUDA memory snapshots"},
        {"npu", "Ascend's profiler, for every enabled role without its own settings"},
        {"precision_debugger", "msprobe"},
        {"hooks", "a command on the nodes after the last profiled step"},
        {"capture", "Lockstep capture"},
        {"torchrun", "torchrun settings"},
    };
    const auto found = kComments.find(path);
    return found == kComments.end() ? std::string_view() : found->second;
}

Status setSessionField(SessionConfig& config, std::string_view path, const ConfigValue& value)
{
    const SessionField* field = findSessionField(path);
    if (field == nullptr) return makeError(ErrorKind::notFound, "unknown session field " + std::string(path));
    const Status done = field->read(config, value);
    if (!done) return tl::make_unexpected(withContext(done.error(), path));
    return {};
}

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

static Result<SessionServer> serverFrom(const ConfigValue& value)
{
    SessionServer server;
    const ConfigValue* url = &value;
    if (value.kind == ConfigValue::Kind::map) {
        url = value.find("url");
        if (url == nullptr) return valueError(value, "a map with the key url");
    }
    for (size_t i = 0; i < value.keys.size(); ++i) {
        const std::string& key = value.keys[i];
        if (key == "host") {
            LOCKSTEP_TRY(assign(server.host, value.items[i]));
        } else if (key == "kind") {
            LOCKSTEP_TRY(assign(server.kind, value.items[i]));
        } else if (key == "folder") {
            LOCKSTEP_TRY(assign(server.folder, value.items[i]));
        } else if (key != "url") {
            server.unknown.emplace_back(key, value.items[i]);
        }
    }
    std::string text;
    LOCKSTEP_TRY(assign(text, *url));
    const auto checked = checkedServerUrl(text);
    if (!checked) {
        const std::string place = locationText(url->place);
        return makeError(ErrorKind::invalid, (place.empty() ? "" : place + ": ") + checked.error().message);
    }
    server.url = *checked;
    return server;
}

std::span<const std::string_view> serverKeys()
{
    static constexpr std::array<std::string_view, 4> kKeys{"url", "host", "kind", "folder"};
    return kKeys;
}

Status assign(std::vector<SessionServer>& target, const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::null) {
        target.clear();
        return {};
    }
    if (value.kind != ConfigValue::Kind::list) return valueError(value, "a list of servers");
    std::vector<SessionServer> servers;
    for (const ConfigValue& item : value.items)
        servers.push_back(LOCKSTEP_TRY(serverFrom(item)));
    target = std::move(servers);
    return {};
}

ConfigValue valueOf(const std::vector<SessionServer>& servers)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const SessionServer& server : servers) {
        if (server.host.empty() && !server.kind && server.folder.empty() && server.unknown.empty()) {
            list.items.push_back(ConfigValue::fromText(server.url));
            continue;
        }
        ConfigValue map = ConfigValue::emptyMap();
        map.set("url", ConfigValue::fromText(server.url));
        if (!server.host.empty()) map.set("host", ConfigValue::fromText(server.host));
        if (server.kind) map.set("kind", valueOf(*server.kind));
        if (!server.folder.empty()) map.set("folder", ConfigValue::fromText(server.folder));
        for (const auto& [key, item] : server.unknown)
            map.set(key, item);
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
