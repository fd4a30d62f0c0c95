// SPDX-License-Identifier: Apache-2.0
// SessionConfig: a saved set-up, what a person chose before a run: what runs, where, and what is recorded.
// Made by the form, by session_yaml.h or by an import; read by planLaunch() and preflight(). An empty
// optional means "not chosen": the framework's own default holds and the plan does not mention it. A plain
// value; session_fields.h edits it by path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/config_value.h"

namespace lockstep {

enum class Framework : uint8_t { verl, verlOmni, nemoRl, torchrun, plain };

// Layouts of verl's profiler settings, by the first release that has them. Up to 0.5.0 is the old era
// (trainer.profile_steps, nsys only), from 0.6 the new one (global_profiler). head is what follows 0.9.0.
enum class VerlSchema : uint8_t { v0_4_1, v0_5_0, v0_6_0, v0_7_0, v0_7_1, v0_8_0, v0_9_0, head };

enum class LauncherKind : uint8_t { ssh, slurm, rayJob, local };
enum class Tool : uint8_t { nsys, torch, torchMemory, npu, precisionDebugger, capture };
enum class Role : uint8_t { actor, rollout, ref, critic, reward };
// torchrun under nsys: one nsys around the launcher of each node, or one inside it for each rank.
enum class NsysPlacement : uint8_t { node, rank };
// How Lockstep's capture knows a step: the n-th capture range, a range named like "step 3", or the program
// opens its ranges around the listed steps alone.
enum class CaptureSteps : uint8_t { ordinals, names, listed };
enum class WhenFull : uint8_t { drop, block };
// Whether each kernel of a CUDA graph is recorded, or each launch of the graph as one.
enum class GraphTrace : uint8_t { node, graph };
// Whether the hosts of a run compare their clocks while it goes on.
enum class ClockExchangeUse : uint8_t { off, on };

inline constexpr size_t kRoleCount = 5;
inline constexpr std::array<Role, kRoleCount> kRoles{Role::actor, Role::rollout, Role::ref, Role::critic,
                                                     Role::reward};

// The words of session files, in enumerator order.
std::span<const std::string_view> wordsOf(Framework);
std::span<const std::string_view> wordsOf(VerlSchema);
std::span<const std::string_view> wordsOf(LauncherKind);
std::span<const std::string_view> wordsOf(Tool);
std::span<const std::string_view> wordsOf(Role);
std::span<const std::string_view> wordsOf(NsysPlacement);
std::span<const std::string_view> wordsOf(CaptureSteps);
std::span<const std::string_view> wordsOf(WhenFull);
std::span<const std::string_view> wordsOf(GraphTrace);
std::span<const std::string_view> wordsOf(ClockExchangeUse);

struct Host {
    std::string name;            // unique in the session; matches HostFacts::host
    std::string address;         // what ssh is given, e.g. "user@node0"; the name where empty
    std::optional<int64_t> gpus; // GPUs of this host that the run uses
    std::vector<std::pair<std::string, ConfigValue>> unknown;
    std::string agentFolder; // on the host, for the agent and its runs; below the home folder where empty

    friend bool operator==(const Host&, const Host&) = default;
};

// Launcher::holdNodes_s where the session gives none.
inline constexpr int64_t kHoldNodes_s = 600;

struct Launcher {
    LauncherKind kind = LauncherKind::local;
    std::string loginNode;                 // slurm: where sbatch runs
    std::vector<std::string> slurmOptions; // e.g. --partition=gpu
    std::string batchScript; // slurm: a script that takes COMMAND from its environment (NeMo RL's ray.sub)
    std::string rayAddress;  // ray_job: e.g. http://head:8265; Ray's own default where empty
    std::string agentFolder; // as Host::agentFolder, for every host that names none; slurm: login node and
                             // nodes see it
    std::optional<int64_t> holdNodes_s; // slurm: how long a job keeps its nodes for collecting, at most
    std::optional<bool> startRay;       // ssh, local: `ray start` on every host before the command

    friend bool operator==(const Launcher&, const Launcher&) = default;
};

// One nsys option by its long name without dashes (or Ray's one-letter key). No value writes null, which only
// verl's capture-range-end gives a meaning (computed by verl).
struct NsightOption {
    std::string name;
    std::optional<std::string> value;

    friend bool operator==(const NsightOption&, const NsightOption&) = default;
};
using NsightOptions = std::vector<NsightOption>;

// The option of that name, or nullptr.
const NsightOption* findOption(const NsightOptions& options, std::string_view name);
// Replaces or appends; eraseOption does nothing where there is none.
void setOption(NsightOptions& options, std::string_view name, std::optional<std::string> value);
void eraseOption(NsightOptions& options, std::string_view name);

// Steps of torch.profiler's schedule, counted in mini-batches of the update loop. On only when active > 0.
struct TorchSchedule {
    std::optional<int64_t> skipFirst, wait, warmup, active, repeat;

    friend bool operator==(const TorchSchedule&, const TorchSchedule&) = default;
};

struct TorchOptions {
    std::optional<std::vector<std::string>> contents; // of cuda, cpu, memory, shapes, stack
    std::optional<bool> discrete;
    std::optional<int64_t> tokenStart, tokenEnd; // decoded tokens, half-open; rollout engines only
    TorchSchedule schedule;
    std::optional<int64_t> stepStart,
        stepEnd; // mini-batches, half-open; verl up to 0.7.0 instead of contents

    bool isSet() const { return *this != TorchOptions{}; }
    friend bool operator==(const TorchOptions&, const TorchOptions&) = default;
};

struct TorchMemoryOptions {
    std::optional<int64_t> maxEntries; // allocator events kept in the ring
    std::optional<int64_t> stackDepth; // frames per event

    friend bool operator==(const TorchMemoryOptions&, const TorchMemoryOptions&) = default;
};

// Ascend's profiler (torch_npu), for workers on NPUs.
struct NpuOptions {
    std::optional<std::vector<std::string>> contents; // of npu, cpu, memory, shapes, module, stack
    std::optional<std::string> level;                 // level_none, level0, level1 or level2
    std::optional<bool> analysis;                     // the raw data is parsed on its node at once
    std::optional<bool> discrete;
    std::optional<int64_t> tokenStart, tokenEnd; // as torch's

    bool isSet() const { return *this != NpuOptions{}; }
    friend bool operator==(const NpuOptions&, const NpuOptions&) = default;
};

// msprobe's precision debugger: dumps of tensors, no timeline.
struct PrecisionOptions {
    std::optional<std::string> configPath; // msprobe's JSON, on the hosts
    std::optional<std::vector<std::string>> stages;
    std::optional<bool> strict;                // a missing msprobe stops the run
    std::optional<std::vector<int64_t>> steps; // read by no release: the session's steps decide

    bool isSet() const { return *this != PrecisionOptions{}; }
    friend bool operator==(const PrecisionOptions&, const PrecisionOptions&) = default;
};

// Run on the nodes after the last profiled step, by verl (newer than 0.9.0).
struct Hooks {
    std::optional<std::string> command; // given to /bin/sh -c on the nodes
    std::optional<bool> allRanks;
    std::optional<std::vector<int64_t>> ranks;
    std::optional<bool> relocateResults;

    friend bool operator==(const Hooks&, const Hooks&) = default;
};

// Which ranks of one role record. discrete is nsys'; torch and npu have their own.
struct RoleProfile {
    std::optional<bool> enable;
    std::optional<bool> allRanks;
    std::optional<std::vector<int64_t>> ranks;
    std::optional<bool> discrete;
    std::optional<Tool> tool; // only where it differs from the session's
    std::optional<std::string> savePath;
    TorchOptions torch; // instead of the session's, for this role
    TorchMemoryOptions torchMemory;
    NpuOptions npu; // instead of the session's, for this role
    PrecisionOptions precision;
    Hooks hooks;

    friend bool operator==(const RoleProfile&, const RoleProfile&) = default;
};

struct CaptureOptions {
    std::string library; // path of liblockstep_capture.so on the hosts; empty: Lockstep puts its own there
    std::string range;   // cudaProfilerApi, nvtx:NAME[@DOMAIN] or all; chosen by the plan where empty
    std::optional<CaptureSteps> stepsAre;
    std::optional<std::vector<int64_t>> ranks; // all where empty; verl: those of the roles
    std::string role;                          // in its reports' names, where the program does not say
    std::optional<WhenFull> whenFull;          // what a thread does that records faster than is written
    std::optional<bool> cuda;                  // false: NVTX alone
    std::optional<GraphTrace> graphTrace;      // node where empty

    friend bool operator==(const CaptureOptions&, const CaptureOptions&) = default;
};

struct NemoOptions {
    std::vector<std::string> workerPatterns; // shell globs over worker names
    NsightOptions extraOptions;              // NRL_NSYS_EXTRA_OPTIONS

    friend bool operator==(const NemoOptions&, const NemoOptions&) = default;
};

struct TorchrunOptions {
    std::optional<int64_t> processesPerNode; // --nproc-per-node; the host's GPUs where empty
    std::vector<std::string> options;        // further words for torchrun
    std::optional<NsysPlacement> nsysPlacement;

    friend bool operator==(const TorchrunOptions&, const TorchrunOptions&) = default;
};

// A key of a session file that this program does not know: kept and written back.
struct UnknownKey {
    std::vector<std::string> path; // maps on the way to the key, then the key
    ConfigValue value;

    friend bool operator==(const UnknownKey&, const UnknownKey&) = default;
};

// The text a session was read from; saving keeps its comments, order and layout. No part of its value.
struct SessionSource {
    std::shared_ptr<const std::string> text; // empty for a session made otherwise

    friend bool operator==(const SessionSource&, const SessionSource&) { return true; }
};

struct SessionConfig {
    std::string name;
    Framework framework = Framework::plain;
    std::optional<VerlSchema> schema; // of the checkout; found in the host facts, else head, where empty
    Launcher launcher;
    std::vector<Host> hosts;
    std::string workingFolder;        // on the hosts
    std::vector<std::string> command; // the entry command, word by word
    TextPairs environment;            // values of secrets may be here; see secrets.h for what is written
    std::vector<std::string> secrets; // names: further variables that are secrets
    std::vector<std::string> containerPrefix; // words before the command, e.g. docker exec trainer
    std::optional<int64_t> totalSteps;        // length of the run, for checks only
    std::vector<std::string> otherOverrides; // Hydra overrides beyond the profiler's, as written, placed last

    std::optional<Tool> tool;
    std::optional<std::vector<int64_t>> steps; // training steps, counted from 1
    std::optional<bool> profileContinuousSteps;
    std::optional<bool>
        discrete; // nsys, capture: one report per stage instead of per step, for roles that do not say
    std::optional<std::string> savePath;
    std::optional<ClockExchangeUse> clockExchange; // on where empty
    std::array<RoleProfile, kRoleCount> roles;
    NsightOptions controllerOptions;
    NsightOptions workerOptions;
    TorchOptions torch; // for every enabled role without its own
    TorchMemoryOptions torchMemory;
    NpuOptions npu; // for every enabled role without its own
    PrecisionOptions precision;
    Hooks hooks;
    CaptureOptions capture;
    NemoOptions nemo;
    TorchrunOptions torchrun;

    ConfigValue
        importedYaml; // keys of an imported verl YAML that say nothing about profiling; kept, not planned
    std::vector<UnknownKey> unknown;
    SessionSource source;

    RoleProfile& role(Role which) { return roles[static_cast<size_t>(which)]; }
    const RoleProfile& role(Role which) const { return roles[static_cast<size_t>(which)]; }

    friend bool operator==(const SessionConfig&, const SessionConfig&) = default;
};

bool isVerlFamily(Framework framework);
// trainer.profile_steps rather than global_profiler.
bool isOldVerl(VerlSchema schema);
// Which of the trainers of verl and VeRL-Omni the entry command starts: each has settings of its own beside
// the common ones. Told from the words of the command; verl's RL trainer where they say nothing.
enum class VerlTrainer : uint8_t {
    rl,           // verl's main_ppo and its kin
    sft,          // verl's sft_trainer: one block, `profiler`
    omni,         // VeRL-Omni's main_omni: verl's RL settings and a reward server
    omniDiffusion // VeRL-Omni's main_diffusion: no critic, and the rollout copies nothing
};
inline constexpr size_t kVerlTrainers = 4;
VerlTrainer trainerOf(const SessionConfig& config);
// The steps, sorted and without repetition; empty when none were chosen.
std::vector<int64_t> sortedSteps(const SessionConfig& config);
// Captures a whole-step recording makes: each step, or each run of adjacent steps in continuous mode.
std::vector<std::vector<int64_t>> stepGroups(const SessionConfig& config);
// Last value given to a Hydra key among the other overrides and the entry command, as written, e.g.
// ("trainer.total_training_steps") -> "10".
std::optional<std::string> overrideValue(const SessionConfig& config, std::string_view key);
// totalSteps, else what trainer.total_training_steps says; NeMo RL: the algorithm's max_num_steps.
std::optional<int64_t> knownTotalSteps(const SessionConfig& config);
// Ranks of the actor's group: trainer.nnodes x trainer.n_gpus_per_node (NeMo RL: cluster.num_nodes x
// cluster.gpus_per_node), else the hosts' GPUs; empty where unknown.
std::optional<int64_t> knownWorldSize(const SessionConfig& config);

} // namespace lockstep
