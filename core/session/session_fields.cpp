// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_fields.h"

#include <algorithm>
#include <map>

#include "core/session/secrets.h"
#include "core/session/session_value.h"

namespace lockstep {

namespace {

using Fields = std::vector<SessionField>;

// get(config) is the member that the field stands for; it must work on const and non-const configs.
template<class Get>
void add(Fields& fields, std::string path, std::string comment, Get get)
{
    fields.push_back(
        {std::move(path), std::move(comment),
         [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
         [get](const SessionConfig& config) { return writtenValue(get(config)); }});
}

// "$NAME" stands for the value that was there: an edit of other variables must not lose it.
Status readEnvironment(SessionConfig& config, const ConfigValue& value)
{
    TextPairs read;
    LOCKSTEP_TRY(assign(read, value));
    for (auto& [name, text] : read) {
        if (!isSecret(config, name) || !isSecretReference(name, text)) continue;
        for (const auto& [known, kept] : config.environment) {
            if (known == name) text = kept;
        }
    }
    config.environment = std::move(read);
    return {};
}

std::optional<ConfigValue> writeEnvironment(const SessionConfig& config)
{
    return writtenValue(writtenEnvironment(config));
}

#define LOCKSTEP_MEMBER(member)                                                                              \
    [](auto& config) -> auto&                                                                                \
    {                                                                                                        \
        return config.member;                                                                                \
    }

void addWhatRuns(Fields& fields)
{
    add(fields, "name", "what this set-up is called", LOCKSTEP_MEMBER(name));
    add(fields, "framework", "verl, verl_omni, nemo_rl, torchrun or command", LOCKSTEP_MEMBER(framework));
    add(fields, "schema", "verl's settings layout: 0.4.1, 0.5.0, 0.6.0, 0.7.0, 0.7.1, 0.8.0, 0.9.0 or head",
        LOCKSTEP_MEMBER(schema));
    add(fields, "launcher.kind", "ssh, slurm, ray_job or local", LOCKSTEP_MEMBER(launcher.kind));
    add(fields, "launcher.login_node", "where sbatch runs", LOCKSTEP_MEMBER(launcher.loginNode));
    add(fields, "launcher.slurm_options", "words for sbatch", LOCKSTEP_MEMBER(launcher.slurmOptions));
    add(fields, "launcher.batch_script", "a script that takes COMMAND from its environment, such as ray.sub",
        LOCKSTEP_MEMBER(launcher.batchScript));
    add(fields, "launcher.agent_folder",
        "where hosts that name none keep the agent and its runs; under Slurm login node and nodes see it",
        LOCKSTEP_MEMBER(launcher.agentFolder));
    add(fields, "launcher.hold_nodes_s",
        "seconds that a Slurm job keeps its nodes after the program's end, at most, until reports on their own "
        "disks are collected; 600 without it, 0 for none",
        LOCKSTEP_MEMBER(launcher.holdNodes_s));
    add(fields, "launcher.ray_address", "address for ray job submit", LOCKSTEP_MEMBER(launcher.rayAddress));
    add(fields, "launcher.start_ray", "run ray start on every host first",
        LOCKSTEP_MEMBER(launcher.startRay));
    add(fields, "hosts", "in rank order: name, ssh address where it differs, GPUs used",
        LOCKSTEP_MEMBER(hosts));
    add(fields, "working_folder", "on the hosts", LOCKSTEP_MEMBER(workingFolder));
    add(fields, "command", "the entry command, word by word", LOCKSTEP_MEMBER(command));
    fields.push_back({"environment", "set for the command; $NAME for a secret, which is never saved",
                      readEnvironment, writeEnvironment});
    add(fields, "secret", "names of variables that are secrets whatever they are called",
        LOCKSTEP_MEMBER(secrets));
    add(fields, "container", "words before the command", LOCKSTEP_MEMBER(containerPrefix));
    add(fields, "total_steps", "length of the run, for checks", LOCKSTEP_MEMBER(totalSteps));
    add(fields, "other_overrides", "further Hydra overrides, as written", LOCKSTEP_MEMBER(otherOverrides));
}

void addWhatIsRecorded(Fields& fields)
{
    add(fields, "tool", "nsys, torch, torch_memory, npu, precision_debugger or capture",
        LOCKSTEP_MEMBER(tool));
    add(fields, "steps", "training steps, counted from 1", LOCKSTEP_MEMBER(steps));
    add(fields, "profile_continuous_steps", "adjacent steps share one report",
        LOCKSTEP_MEMBER(profileContinuousSteps));
    add(fields, "discrete", "one report per stage, of nsys or capture", LOCKSTEP_MEMBER(discrete));
    add(fields, "save_path", "where torch tools and capture write, on each node", LOCKSTEP_MEMBER(savePath));
    add(fields, "clock_exchange",
        "on (the default) or off: hosts compare their clocks during the run, over UDP",
        LOCKSTEP_MEMBER(clockExchange));
}

template<class Get>
void addTorch(Fields& fields, const std::string& path, Get torch)
{
    add(
        fields, path + ".contents", "of cuda, cpu, memory, shapes, stack", [torch](auto& config) -> auto& {
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
        "first token no longer recorded", [torch](auto& config) -> auto& { return torch(config).tokenEnd; });
    add(
        fields, path + ".schedule.skip_first", "mini-batches left out once", [torch](auto& config) -> auto& {
            return torch(config).schedule.skipFirst;
        });
    add(
        fields, path + ".schedule.wait", "mini-batches idle per cycle", [torch](auto& config) -> auto& {
            return torch(config).schedule.wait;
        });
    add(
        fields, path + ".schedule.warmup", "mini-batches traced and dropped", [torch](auto& config) -> auto& {
            return torch(config).schedule.warmup;
        });
    add(
        fields, path + ".schedule.active",
        "mini-batches recorded per cycle; 0 turns the schedule off", [torch](auto& config) -> auto& {
            return torch(config).schedule.active;
        });
    add(
        fields, path + ".schedule.repeat",
        "cycles", [torch](auto& config) -> auto& { return torch(config).schedule.repeat; });
    add(
        fields, path + ".step_start",
        "first mini-batch recorded (verl up to 0.7.0, instead of contents)", [torch](auto& config) -> auto& {
            return torch(config).stepStart;
        });
    add(
        fields, path + ".step_end",
        "first mini-batch no longer recorded (verl up to 0.7.0)", [torch](auto& config) -> auto& {
            return torch(config).stepEnd;
        });
}

// at(config) is what has the members npu, precision and hooks: the session, or a role.
template<class Get>
void addNpu(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".contents",
        "of npu, cpu, memory, shapes, module, stack", [at](auto& config) -> auto& {
            return at(config).npu.contents;
        });
    add(
        fields, path + ".level",
        "level_none, level0, level1 or level2", [at](auto& config) -> auto& { return at(config).npu.level; });
    add(
        fields, path + ".analysis", "parse the data on its node at once", [at](auto& config) -> auto& {
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
        "first token no longer recorded", [at](auto& config) -> auto& { return at(config).npu.tokenEnd; });
}

template<class Get>
void addPrecision(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".config_path", "msprobe's JSON file, on the hosts", [at](auto& config) -> auto& {
            return at(config).precision.configPath;
        });
    add(
        fields, path + ".stages",
        "of actor_update, actor_compute_log_prob, ref_compute_log_prob, "
        "compute_values, critic_update, compute_rm_score",
        [at](auto& config) -> auto& { return at(config).precision.stages; });
    add(
        fields, path + ".strict", "stop the run where msprobe is missing", [at](auto& config) -> auto& {
            return at(config).precision.strict;
        });
    add(
        fields, path + ".steps", "ignored by verl: the session's steps decide", [at](auto& config) -> auto& {
            return at(config).precision.steps;
        });
}

template<class Get>
void addHooks(Fields& fields, const std::string& path, Get at)
{
    add(
        fields, path + ".command",
        "given to /bin/sh -c on the nodes after the last profiled step", [at](auto& config) -> auto& {
            return at(config).hooks.command;
        });
    add(
        fields, path + ".all_ranks",
        "run it on every rank", [at](auto& config) -> auto& { return at(config).hooks.allRanks; });
    add(
        fields, path + ".ranks",
        "run it on these ranks; those that record where absent", [at](auto& config) -> auto& {
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
    const std::string path = "roles." + std::string(wordOf(which)) + ".";
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
    add(fields, "capture.library", "path of liblockstep_capture.so on the hosts; put there where absent",
        LOCKSTEP_MEMBER(capture.library));
    add(fields, "capture.range", "cudaProfilerApi, nvtx:NAME[@DOMAIN] or all",
        LOCKSTEP_MEMBER(capture.range));
    add(fields, "capture.steps_are", "ordinals, names or listed: how a step is known",
        LOCKSTEP_MEMBER(capture.stepsAre));
    add(fields, "capture.ranks", "who records; all where absent", LOCKSTEP_MEMBER(capture.ranks));
    add(fields, "capture.role", "in the names of its reports", LOCKSTEP_MEMBER(capture.role));
    add(fields, "capture.when_full", "drop: count what is lost; block: a thread waits for room",
        LOCKSTEP_MEMBER(capture.whenFull));
    add(fields, "capture.cuda", "false: NVTX ranges alone", LOCKSTEP_MEMBER(capture.cuda));
    add(fields, "capture.graph_trace", "node: each kernel of a CUDA graph; graph: its launch as one",
        LOCKSTEP_MEMBER(capture.graphTrace));
}

void addTools(Fields& fields)
{
    add(fields, "nsys.controller_options", "nsys profile options of verl's controller",
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
    add(fields, "nemo_rl.worker_patterns", "shell globs over worker names",
        LOCKSTEP_MEMBER(nemo.workerPatterns));
    add(fields, "nemo_rl.extra_options", "further nsys options, merged over NeMo RL's",
        LOCKSTEP_MEMBER(nemo.extraOptions));
    add(fields, "torchrun.processes_per_node", "the host's GPUs where absent",
        LOCKSTEP_MEMBER(torchrun.processesPerNode));
    add(fields, "torchrun.options", "further words for torchrun", LOCKSTEP_MEMBER(torchrun.options));
    add(fields, "torchrun.nsys_placement", "node: one report a node; rank: one a rank",
        LOCKSTEP_MEMBER(torchrun.nsysPlacement));
    add(fields, "imported_yaml", "from an imported file; kept, not part of the plan",
        LOCKSTEP_MEMBER(importedYaml));
}

#undef LOCKSTEP_MEMBER

Fields makeFields()
{
    Fields fields;
    addWhatRuns(fields);
    addWhatIsRecorded(fields);
    for (const Role role : kRoles)
        addRole(fields, role);
    addTools(fields);
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
        {"roles", "which ranks of each role record; what is absent is left to the framework"},
        {"nsys", "Nsight Systems"},
        {"torch", "torch.profiler, for every enabled role without its own"},
        {"torch_memory", "CUDA memory snapshots"},
        {"npu", "Ascend's profiler, for every enabled role without its own"},
        {"precision_debugger", "msprobe (verl 0.8.0 and later)"},
        {"hooks", "verl newer than 0.9.0"},
        {"capture", "Lockstep's own recording"},
        {"nemo_rl", "NeMo RL"},
        {"torchrun", "torchrun's own words"},
    };
    const auto found = kComments.find(path);
    return found == kComments.end() ? std::string_view() : found->second;
}

Status setSessionField(SessionConfig& config, std::string_view path, const ConfigValue& value)
{
    const SessionField* field = findSessionField(path);
    if (field == nullptr)
        return makeError(ErrorKind::notFound, "a session has no field " + std::string(path));
    const Status done = field->read(config, value);
    if (!done) return tl::make_unexpected(withContext(done.error(), path));
    return {};
}

} // namespace lockstep
