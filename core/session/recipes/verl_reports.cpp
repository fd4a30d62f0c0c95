// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"
#include "core/session/verl_settings.h"

namespace lockstep {

namespace {

// Ray writes to this folder on every node unless the nsys output is absolute.
constexpr std::string_view kRayFolder = "/tmp/ray/session_latest/logs/nsight";
constexpr std::string_view kRangeEnding = R"(\.(?<range>\d+)\.nsys-rep)";
constexpr std::string_view kMemoryPattern = R"(torch_memory_rank(?<rank>\d+)_pid(?<pid>\d+)\.pickle)";
// Names of traces from rollout engines: first vLLM, then SGLang.
constexpr std::string_view kRolloutPattern =
    R"((?<worker>.+)\.(?<ns>\d+)\.pt\.trace\.json(?:\.gz)?|.+-TP-(?<tp>\d+).*\.trace\.json\.gz)";

std::string_view torchPattern(VerlSchema schema)
{
    if (schema <= VerlSchema::v0_6_0) return R"(prof_start_(?<a>\d+)_end_(?<b>\d+)_rank_(?<rank>\d+)\.json)";
    if (schema == VerlSchema::v0_7_0) return R"((?:(?<prefix>.+)_)?prof_rank-(?<rank>\d+)\.json\.gz)";
    if (schema <= VerlSchema::v0_8_0) {
        return R"((?:(?<prefix>.+)_)?prof_rank-(?<rank>\d+)_(?<pid>\d+)_(?<ts>\d{17})\.json\.gz)";
    }
    return R"(.*?(?:step(?<step>\d+)_)?rank(?<rank>\d+)(?:-of-(?<world>\d+))?.*_pid(?<pid>\d+)_(?<ts>\d{17}).*\.json\.gz)";
}

// Ascend's database, one per trace folder: <worker>_<pid>_<time>_ascend_pt/ASCEND_PROFILER_OUTPUT.
constexpr std::string_view kNpuPattern = R"(ascend_pytorch_profiler_(?<rank>\d+)\.db)";

// Returns true for roles that are recorded in an inference engine: the rollout, and VeRL-Omni's reward
// server.
bool isEngine(const RecipeInput& input, Role role)
{
    const VerlTrainer trainer = trainerOf(input.config);
    return role == Role::rollout || (role == Role::reward && trainer != VerlTrainer::rl);
}

std::string savePathOf(const RecipeInput& input, Role role)
{
    const SessionConfig& config = input.config;
    const std::string path = config.savePath.value_or("outputs/profile");
    if (config.role(role).savePath) return *config.role(role).savePath;
    return role == Role::reward && isEngine(input, role) ? path + "/reward_model" : path;
}

// Returns the subfolder of save_path that a release adds: none, one for the role, or one for the stage.
std::string torchFolder(const RecipeInput& input, Role role)
{
    const std::string path = savePathOf(input, role);
    if (isEngine(input, role)) return path + "/agent_loop_rollout_replica_*";
    const bool nested = input.schema >= VerlSchema::v0_7_1 && input.schema <= VerlSchema::v0_9_0;
    return nested ? path + "/*" : path;
}

Tool toolOf(const RecipeInput& input, Role role)
{
    return input.config.role(role).tool.value_or(*input.config.tool);
}

// Returns the role's settings if they are set, otherwise the session's. The rollout inherits the actor's
// settings.
template<class Options, class Get>
const Options& settingsOf(const RecipeInput& input, Role role, const Options& session, Get get)
{
    if (const Options& own = get(input.config.role(role)); own.isSet()) return own;
    const Options& actors = get(input.config.role(Role::actor));
    const bool copies = role == Role::rollout && rolloutCopies(input.config, input.schema);
    return copies && !input.config.role(role).enable && actors.isSet() ? actors : session;
}

const TorchOptions& torchSettings(const RecipeInput& input, Role role)
{
    return settingsOf(input, role, input.config.torch,
                      [](const RoleProfile& profile) -> const TorchOptions& { return profile.torch; });
}

const NpuOptions& npuSettings(const RecipeInput& input, Role role)
{
    return settingsOf(input, role, input.config.npu,
                      [](const RoleProfile& profile) -> const NpuOptions& { return profile.npu; });
}

// Sets the reports for a role: one for each group of steps, or in discrete mode one for each step and stage.
void countReports(const RecipeInput& input, Role role, bool isDiscrete, ExpectedFile& file)
{
    const bool isInterval = trainerOf(input.config) == VerlTrainer::sft; // there is always a single capture
    file.steps = stepGroups(input.config);
    if (isInterval) file.steps = {sortedSteps(input.config)};
    file.reportsPerRank = static_cast<int64_t>(file.steps.size());
    if (!isDiscrete) return;
    const auto steps = static_cast<int64_t>(sortedSteps(input.config).size());
    const StageCount stages =
        isEngine(input, role) ? StageCount{} : stagesOf(input.config, input.schema, role);
    file.reportsPerRank = steps * stages.most;
    file.optionalPerRank = steps * (stages.most - stages.required);
}

size_t stepsEach(const ExpectedFile& file)
{
    return file.steps.empty() ? 1 : file.steps.front().size();
}

// Sets the place of an nsys report: Ray's folder, a folder in it, or the absolute path of the output option.
void placeNsys(const NsightOptions& options, std::string_view ending, ExpectedFile& file)
{
    const std::string own = nsysOutput(options);
    const std::string output = own.empty() ? "worker_process_%p" : own;
    const size_t slash = output.rfind('/');
    const std::string folder = slash == output.npos ? std::string() : output.substr(0, slash);
    file.folder = isAbsoluteOrHomePath(output) ? folder
                  : folder.empty()             ? std::string(kRayFolder)
                                               : std::string(kRayFolder) + "/" + folder;
    file.pattern = nsysNamePattern(output) + std::string(ending);
}

ExpectedFile nsysFile(const RecipeInput& input, Role role)
{
    const bool discrete = isNsysDiscrete(input.config, input.schema, role);
    ExpectedFile file;
    countReports(input, role, discrete, file);
    file.size_bytes = nsysReportSize(discrete ? 1 : stepsEach(file), discrete);
    placeNsys(input.config.workerOptions, kRangeEnding, file);
    return file;
}

ExpectedFile torchFile(const RecipeInput& input, Role role)
{
    const TorchOptions& torch = torchSettings(input, role);
    ExpectedFile file;
    file.kind = ReportKind::torchTrace;
    countReports(input, role, torch.discrete.value_or(false), file);
    file.size_bytes = torchTraceSize(torch, stepsEach(file));
    file.folder = torchFolder(input, role);
    file.pattern = isEngine(input, role) ? kRolloutPattern : torchPattern(input.schema);
    return file;
}

ExpectedFile npuFile(const RecipeInput& input, Role role)
{
    const bool discrete = npuSettings(input, role).discrete.value_or(false);
    ExpectedFile file;
    file.kind = ReportKind::npuProfile;
    countReports(input, role, discrete, file);
    file.size_bytes = npuProfileSize(discrete ? 1 : stepsEach(file), discrete);
    file.folder = savePathOf(input, role);
    if (isEngine(input, role)) file.folder += "/agent_loop_rollout_replica_*";
    file.pattern = kNpuPattern;
    return file;
}

ExpectedFile memoryFile(const RecipeInput& input, Role role)
{
    const SessionConfig& config = input.config;
    ExpectedFile file;
    file.kind = ReportKind::memorySnapshot;
    countReports(input, role, false, file);
    const TorchMemoryOptions& own = config.role(role).torchMemory;
    file.size_bytes = memorySnapshotSize({own.maxEntries ? own.maxEntries : config.torchMemory.maxEntries,
                                          own.stackDepth ? own.stackDepth : config.torchMemory.stackDepth});
    file.folder = savePathOf(input, role) + "/step*";
    file.pattern = kMemoryPattern;
    return file;
}

ExpectedFile fileOf(const RecipeInput& input, Role role)
{
    switch (toolOf(input, role)) {
    case Tool::nsys:
        return nsysFile(input, role);
    case Tool::torch:
        return torchFile(input, role);
    case Tool::npu:
        return npuFile(input, role);
    case Tool::torchMemory:
    case Tool::precisionDebugger: // see hasOwnReports()
    case Tool::capture:
        break;
    }
    return memoryFile(input, role);
}

// Returns true if the role writes its own reports. The ref role shares the actor's worker, for which verl
// reads only the actor's block. The same is true of the rollout, unless its engine records separately, which
// happens only with torch and npu in discrete mode. Precision dumps are not reports.
bool hasOwnReports(const RecipeInput& input, Role role)
{
    const Tool tool = toolOf(input, role);
    if (!isRoleOn(input.config, input.schema, role) || tool == Tool::precisionDebugger) return false;
    const bool isActorOff = !isRoleOn(input.config, input.schema, Role::actor);
    if (role == Role::ref) return isActorOff && isOldVerl(input.schema);
    if (role == Role::critic && !recordsCritic(input.config, input.schema)) return false;
    if (!isEngine(input, role)) return true;
    if (role == Role::rollout && !startsEngines(input.config, input.schema)) return false;
    if (tool == Tool::torch) return torchSettings(input, role).discrete.value_or(false);
    if (tool == Tool::npu && !isOldVerl(input.schema))
        return npuSettings(input, role).discrete.value_or(false);
    return isOldVerl(input.schema) && isActorOff;
}

// The ranks of a role that are recorded: its list of ranks, otherwise all ranks if the world size is known,
// otherwise rank 0 for an enabled role without ranks. rankCount is empty if all_ranks is set and the world
// size is unknown.
struct RecordedRanks {
    std::vector<int64_t> ranks;
    std::optional<int64_t> rankCount;
};

RecordedRanks recordedRanks(const RecipeInput& input, Role role)
{
    const RoleProfile* profile = &input.config.role(role);
    const RoleProfile& actor = input.config.role(Role::actor);
    const bool copies =
        role == Role::rollout && rolloutCopies(input.config, input.schema) && !profile->enable;
    if (copies) profile = &actor;
    RecordedRanks recorded;
    if (profile->allRanks.value_or(false)) {
        recorded.rankCount =
            role == Role::rollout ? rolloutWorldSize(input.config) : knownWorldSize(input.config);
        for (int64_t rank = 0;
             recorded.rankCount && *recorded.rankCount <= 100'000 && rank < *recorded.rankCount; ++rank) {
            recorded.ranks.push_back(rank);
        }
        return recorded;
    }
    if (profile->ranks) recorded.ranks = *profile->ranks;
    std::sort(recorded.ranks.begin(), recorded.ranks.end());
    recorded.ranks.erase(std::unique(recorded.ranks.begin(), recorded.ranks.end()), recorded.ranks.end());
    if (recorded.ranks.empty() && recordsRankZero(input.schema, toolOf(input, role))) recorded.ranks = {0};
    recorded.rankCount = static_cast<int64_t>(recorded.ranks.size());
    return recorded;
}

} // namespace

void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    if (config.tool == Tool::capture) return forecastCapture(input, files);
    if (sortedSteps(config).empty()) return;
    for (const Role role : kRoles) {
        if (!hasOwnReports(input, role)) continue;
        ExpectedFile file = fileOf(input, role);
        file.role = enumName(role);
        RecordedRanks recorded = recordedRanks(input, role);
        if (recorded.rankCount == 0) continue;
        for (HostRanks& part : ranksByHost(input.hosts, recorded.ranks)) {
            file.host = part.host;
            file.ranks = std::move(part.ranks);
            file.rankCount =
                file.ranks.empty() ? recorded.rankCount : std::optional<int64_t>(file.ranks.size());
            file.unknownReason = file.isCountKnown() ? "" : kGpusUnknown;
            files.push_back(file);
        }
    }
    if (config.tool != Tool::nsys || files.empty()) return;
    ExpectedFile controller;
    controller.role = "controller";
    controller.rankCount = 1;
    controller.host = input.hosts.size() == 1 ? input.hosts[0].name : "";
    const NsightOption* range = findOption(config.controllerOptions, "capture-range");
    const bool isRanged = range != nullptr && range->value == "cudaProfilerApi"; // VeRL-Omni's legacy trainer
    if (isRanged) {
        controller.steps = stepGroups(config);
        controller.reportsPerRank = static_cast<int64_t>(controller.steps.size());
    }
    placeNsys(config.controllerOptions, isRanged ? kRangeEnding : R"(\.nsys-rep)", controller);
    controller.size_bytes = controllerReportSize();
    files.push_back(std::move(controller));
}

} // namespace lockstep
