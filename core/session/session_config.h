// SPDX-License-Identifier: Apache-2.0
// SessionConfig contains the settings of a session: what runs, where, and what is recorded. Created by the
// form, session_yaml.h or an import; read by planLaunch() and preflight(). An empty optional means "not set":
// the framework's default applies, and the plan does not mention the setting. Plain value type;
// session_fields.h edits it by path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/servers/server_kind.h"
#include "core/session/config_value.h"

namespace lockstep {

// The framework of a session. The enumerators are frameworks that C++ describes; further values stand for the
// recipes of resources/recipes and of the user, in the order of enumNames(). The values are not stored
// anywhere: files contain the names.
enum class Framework : uint16_t { torchrun, plain };
// The names of the enumerators, in their order.
inline constexpr std::array<std::string_view, 2> kOwnFrameworks{"torchrun", "command"};

enum class LauncherKind : uint8_t { ssh, slurm, rayJob, local };
enum class Tool : uint8_t { nsys, torch, torchMemory, npu, precisionDebugger, capture };
enum class Role : uint8_t { actor, rollout, ref, critic, reward };
// For torchrun under nsys: one nsys around each node's launcher, or one nsys per rank inside the launcher.
enum class NsysPlacement : uint8_t { node, rank };
// How Lockstep capture identifies a step. ordinals: the n-th capture range is step n. names: the range has a
// name such as "step 3". listed: the program opens ranges only around the listed steps, in order.
enum class CaptureSteps : uint8_t { ordinals, names, listed };
enum class WhenFull : uint8_t { drop, block };
// Whether each GPU kernel in a CUDA graph is recorded, or each launch of the graph as a whole.
enum class GraphTrace : uint8_t { node, graph };
// Whether the hosts compare their clocks during the run.
enum class ClockExchangeUse : uint8_t { off, on };

inline constexpr size_t kRoleCount = 5;
inline constexpr std::array<Role, kRoleCount> kRoles{Role::actor, Role::rollout, Role::ref, Role::critic,
                                                     Role::reward};

// Return the spelling of the enumerators in session files, in enumerator order.
std::span<const std::string_view> enumNames(Framework);
std::span<const std::string_view> enumNames(LauncherKind);
std::span<const std::string_view> enumNames(Tool);
std::span<const std::string_view> enumNames(Role);
std::span<const std::string_view> enumNames(NsysPlacement);
std::span<const std::string_view> enumNames(CaptureSteps);
std::span<const std::string_view> enumNames(WhenFull);
std::span<const std::string_view> enumNames(GraphTrace);
std::span<const std::string_view> enumNames(ClockExchangeUse);
std::span<const std::string_view> enumNames(ServerKind);

struct Host {
    std::string name;            // unique in the session; same as HostFacts::host
    std::string address;         // argument for ssh, e.g. "user@node0"; empty = the name
    std::optional<int64_t> gpus; // number of GPUs on this host that the run uses
    std::vector<std::pair<std::string, ConfigValue>> unknown;
    std::string agentFolder; // folder on the host for the agent and its runs; empty: in the home folder

    friend bool operator==(const Host&, const Host&) = default;
};

// Default of Launcher::holdNodes_s.
inline constexpr int64_t kHoldNodes_s = 600;

struct Launcher {
    LauncherKind kind = LauncherKind::local;
    std::string loginNode;                 // slurm: host on which sbatch runs
    std::vector<std::string> slurmOptions; // e.g. --partition=gpu
    std::string batchScript; // slurm: a script that reads COMMAND from its environment, such as ray.sub
    std::string rayAddress;  // for ray_job, e.g. http://head:8265; empty = Ray's default
    std::string agentFolder; // default for Host::agentFolder; with slurm, the login node and the compute
                             // nodes must share it
    std::optional<int64_t> holdNodes_s; // slurm: maximum time for which a job keeps its nodes for collection
    std::optional<bool> startRay;       // ssh, local: `ray start` on every host before the command

    friend bool operator==(const Launcher&, const Launcher&) = default;
};

// One nsys option with its long name without dashes (or Ray's one-letter key). An option without a value is
// written as null, for which a framework may compute the value.
struct NsightOption {
    std::string name;
    std::optional<std::string> value;

    friend bool operator==(const NsightOption&, const NsightOption&) = default;
};
using NsightOptions = std::vector<NsightOption>;

// Returns the option with this name, or nullptr.
const NsightOption* findOption(const NsightOptions& options, std::string_view name);
// setOption() replaces or appends an option. eraseOption() does nothing if the option does not exist.
void setOption(NsightOptions& options, std::string_view name, std::optional<std::string> value);
void eraseOption(NsightOptions& options, std::string_view name);

// torch.profiler's schedule, counted in mini-batches of the update loop. It is enabled only if active > 0.
struct TorchSchedule {
    std::optional<int64_t> skipFirst, wait, warmup, active, repeat;

    friend bool operator==(const TorchSchedule&, const TorchSchedule&) = default;
};

struct TorchOptions {
    std::optional<std::vector<std::string>> contents; // any of cuda, cpu, memory, shapes, stack
    std::optional<bool> discrete;
    std::optional<int64_t> tokenStart, tokenEnd; // range of decoded tokens, half-open; rollout engines only
    TorchSchedule schedule;
    std::optional<int64_t> stepStart,
        stepEnd; // range of mini-batches, half-open; used instead of contents by
                 // older frameworks

    bool isSet() const { return *this != TorchOptions{}; }
    friend bool operator==(const TorchOptions&, const TorchOptions&) = default;
};

struct TorchMemoryOptions {
    std::optional<int64_t> maxEntries; // capacity of the ring buffer for allocator events
    std::optional<int64_t> stackDepth; // number of stack frames per event

    friend bool operator==(const TorchMemoryOptions&, const TorchMemoryOptions&) = default;
};

// Ascend's profiler (torch_npu), for workers on NPUs.
struct NpuOptions {
    std::optional<std::vector<std::string>> contents; // any of npu, cpu, memory, shapes, module, stack
    std::optional<std::string> level;                 // level_none, level0, level1 or level2
    std::optional<bool> analysis;                     // parse the raw data immediately on the node where it
                                                      // was recorded
    std::optional<bool> discrete;
    std::optional<int64_t> tokenStart, tokenEnd; // same as for torch

    bool isSet() const { return *this != NpuOptions{}; }
    friend bool operator==(const NpuOptions&, const NpuOptions&) = default;
};

// msprobe's precision debugger, which dumps tensors and has no timeline.
struct PrecisionOptions {
    std::optional<std::string> configPath; // path of msprobe's JSON file on the hosts
    std::optional<std::vector<std::string>> stages;
    std::optional<bool> strict;                // stop the run if msprobe is missing
    std::optional<std::vector<int64_t>> steps; // all releases ignore this setting and use the session's steps
                                               // instead

    bool isSet() const { return *this != PrecisionOptions{}; }
    friend bool operator==(const PrecisionOptions&, const PrecisionOptions&) = default;
};

// A command that the framework runs on the nodes after the last profiled step.
struct Hooks {
    std::optional<std::string> command; // run by /bin/sh -c on the nodes
    std::optional<bool> allRanks;
    std::optional<std::vector<int64_t>> ranks;
    std::optional<bool> relocateResults;

    friend bool operator==(const Hooks&, const Hooks&) = default;
};

// Which ranks of a role are recorded. discrete applies to nsys; torch and npu have their own setting.
struct RoleProfile {
    std::optional<bool> enable;
    std::optional<bool> allRanks;
    std::optional<std::vector<int64_t>> ranks;
    std::optional<bool> discrete;
    std::optional<Tool> tool; // set only if different from the session's tool
    std::optional<std::string> savePath;
    TorchOptions torch; // used for this role instead of the session's settings
    TorchMemoryOptions torchMemory;
    NpuOptions npu; // used for this role instead of the session's settings
    PrecisionOptions precision;
    Hooks hooks;

    friend bool operator==(const RoleProfile&, const RoleProfile&) = default;
};

struct CaptureOptions {
    // Path of liblockstep_capture.so on the hosts; empty = Lockstep installs its own library.
    std::string library;
    std::string range; // cudaProfilerApi, nvtx:NAME[@DOMAIN] or all; empty = the plan chooses the range
    std::optional<CaptureSteps> stepsAre;
    std::optional<std::vector<int64_t>> ranks; // nullopt: all ranks, or the ranks of the roles
    std::string role;                          // used in report names if the program does not set a role
    std::optional<WhenFull> whenFull;          // what a thread does if it records events faster than they can
                                               // be written
    std::optional<bool> cuda;                  // false: only NVTX is recorded
    std::optional<GraphTrace> graphTrace;      // nullopt: node

    friend bool operator==(const CaptureOptions&, const CaptureOptions&) = default;
};

struct TorchrunOptions {
    std::optional<int64_t> processesPerNode; // --nproc-per-node; nullopt: the number of GPUs on the host
    std::vector<std::string> options;        // additional arguments for torchrun
    std::optional<NsysPlacement> nsysPlacement;

    friend bool operator==(const TorchrunOptions&, const TorchrunOptions&) = default;
};

// An inference server of the run, whose profiler lockstep --record starts and stops over HTTP.
struct SessionServer {
    std::string url;                // http(s)://host:port, without credentials
    std::string host;               // name of the host that sends the requests; empty: see server_targets.h
    std::optional<ServerKind> kind; // nullopt: recognized by the server's answers
    std::string folder;             // folder of its traces on that host; empty: not known, so not checked
    std::vector<std::pair<std::string, ConfigValue>> unknown;

    friend bool operator==(const SessionServer&, const SessionServer&) = default;
};

// An unknown key of a session file, kept and written back.
struct UnknownKey {
    std::vector<std::string> path; // the enclosing maps, then the key
    ConfigValue value;

    friend bool operator==(const UnknownKey&, const UnknownKey&) = default;
};

// The text from which a session was read. Saving preserves its comments, order and layout. Comparisons ignore
// it.
struct SessionSource {
    std::shared_ptr<const std::string> text; // null for a session without a file

    friend bool operator==(const SessionSource&, const SessionSource&) { return true; }
};

struct SessionConfig {
    std::string name;
    Framework framework = Framework::plain;
    std::optional<std::string> schema; // era of the framework's recipe; nullopt: that of the checkout
    Launcher launcher;
    std::vector<Host> hosts;
    std::string workingFolder;        // path on the hosts
    std::vector<std::string> command; // the command as a list of arguments
    // Path on the hosts of a launch script that runs under bash instead of a command; see script_launch.h.
    std::string script;
    std::vector<std::string> scriptArguments;
    bool isCommandRecorded = false;           // command was recorded while the script ran; never saved
    TextPairs environment;                    // may contain secrets; see secrets.h for what is written to
                                              // files
    std::vector<std::string> secrets;         // names of additional variables whose values are secret
    std::vector<std::string> containerPrefix; // arguments before the command, e.g. docker exec trainer
    std::optional<int64_t> totalSteps;        // length of the run; used only for checks
    ConfigValue settings;                     // map: settings of the framework's recipe, by name
    std::vector<std::string> otherOverrides;  // additional Hydra overrides, appended last without changes

    std::optional<Tool> tool;
    std::optional<std::vector<int64_t>> steps; // training steps, counted as the framework counts them
    std::optional<std::vector<int64_t>> ranks; // nullopt: the default of the framework; see also roles
    std::optional<bool> profileContinuousSteps;
    std::optional<bool>
        discrete; // nsys and capture: one report per stage instead of per step; default for the roles
    std::optional<std::string> savePath;
    std::optional<ClockExchangeUse> clockExchange; // nullopt: on
    std::array<RoleProfile, kRoleCount> roles;
    NsightOptions controllerOptions;
    NsightOptions workerOptions;
    TorchOptions torch; // for enabled roles that have no settings of their own
    TorchMemoryOptions torchMemory;
    NpuOptions npu; // for enabled roles that have no settings of their own
    PrecisionOptions precision;
    Hooks hooks;
    CaptureOptions capture;
    TorchrunOptions torchrun;
    std::vector<SessionServer> servers;

    // Keys of an imported YAML file that do not concern profiling; kept, but not used by the plan.
    ConfigValue importedYaml;
    std::vector<UnknownKey> unknown;
    SessionSource source;

    RoleProfile& role(Role which) { return roles[static_cast<size_t>(which)]; }
    const RoleProfile& role(Role which) const { return roles[static_cast<size_t>(which)]; }

    friend bool operator==(const SessionConfig&, const SessionConfig&) = default;
};

// Returns the steps, sorted and without duplicates, or an empty list if no steps are set.
std::vector<int64_t> sortedSteps(const SessionConfig& config);
// Returns the groups of steps that are recorded together when whole steps are recorded: each step on its own,
// or in continuous mode each run of adjacent steps.
std::vector<std::vector<int64_t>> stepGroups(const SessionConfig& config);
// Returns the last value that the command and the other overrides give for a Hydra key, as written, e.g.
// ("trainer.total_training_steps") -> "10".
std::optional<std::string> overrideValue(const SessionConfig& config, std::string_view key);
// Returns the length of the run from the command or totalSteps, or nullopt if it is not known.
std::optional<int64_t> knownTotalSteps(const SessionConfig& config);
// Returns the number of ranks of the run from the command, otherwise the number of GPUs on the hosts. Returns
// nullopt if neither is known.
std::optional<int64_t> knownWorldSize(const SessionConfig& config);

} // namespace lockstep
