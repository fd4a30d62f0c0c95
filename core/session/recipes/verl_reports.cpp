#include "core/session/recipes/verl_reports.h"

#include <algorithm>

#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

// Ray writes here on every node unless nsys is given an absolute output.
constexpr std::string_view kRayFolder = "/tmp/ray/session_latest/logs/nsight";
constexpr std::string_view kWorkerPattern = R"(worker_process_(?<pid>\d+)\.(?<range>\d+)\.nsys-rep)";
constexpr std::string_view kControllerPattern = R"(worker_process_(?<pid>\d+)\.nsys-rep)";
constexpr std::string_view kMemoryPattern = R"(torch_memory_rank(?<rank>\d+)_pid(?<pid>\d+)\.pickle)";
// Rollout engines: vLLM's name, then SGLang's.
constexpr std::string_view kRolloutPattern =
    R"((?<worker>.+)\.(?<ns>\d+)\.pt\.trace\.json(?:\.gz)?|.+-TP-(?<tp>\d+).*\.trace\.json\.gz)";

std::string_view torchPattern(VerlSchema schema)
{
    if (schema <= VerlSchema::v0_6_0) return R"(prof_start_(?<a>\d+)_end_(?<b>\d+)_rank_(?<rank>\d+)\.json)";
    if (schema == VerlSchema::v0_7_0) return R"((?:(?<prefix>.+)_)?prof_rank-(?<rank>\d+)\.json\.gz)";
    if (schema <= VerlSchema::v0_8_0) {
        return R"((?:(?<prefix>.+)_)?prof_rank-(?<rank>\d+)_(?<pid>\d+)_(?<ts>\d{17})\.json\.gz)";
    }
    return R"(.*(?:step(?<step>\d+)_)?rank(?<rank>\d+)(?:-of-(?<world>\d+))?.*_pid(?<pid>\d+)_(?<ts>\d{17}).*\.json\.gz)";
}

// Directory below save_path that a release adds: none, the role, or the stage.
std::string torchFolder(const RecipeInput& input, Role role)
{
    const std::string path =
        input.config.role(role).savePath.value_or(input.config.savePath.value_or("outputs/profile"));
    if (role == Role::rollout) return path + "/agent_loop_rollout_replica_*";
    const bool nested = input.schema >= VerlSchema::v0_7_1 && input.schema <= VerlSchema::v0_9_0;
    return nested ? path + "/*" : path;
}

bool isOwnTool(const RecipeInput& input, Role role, Tool tool)
{
    return input.config.role(role).tool.value_or(*input.config.tool) == tool;
}

int64_t stagesOf(Role role)
{
    return role == Role::critic ? 2 : role == Role::reward ? 1 : 4;
}

ExpectedFile nsysFile(const RecipeInput& input, Role role)
{
    const SessionConfig& config = input.config;
    const bool discrete = isNsysDiscrete(config, role);
    ExpectedFile file;
    file.steps = stepGroups(config);
    const auto steps = static_cast<int64_t>(sortedSteps(config).size());
    file.reportsPerRank = discrete ? steps * stagesOf(role) : static_cast<int64_t>(file.steps.size());
    const size_t stepsEach = file.steps.empty() ? 1 : file.steps.front().size();
    file.size_bytes = nsysReportSize(discrete ? 1 : stepsEach, discrete);
    const NsightOption* output = findOption(config.workerOptions, "o");
    if (output == nullptr) output = findOption(config.workerOptions, "output");
    const bool elsewhere = output != nullptr && output->value && output->value->starts_with('/');
    file.folder = elsewhere ? output->value->substr(0, output->value->rfind('/')) : std::string(kRayFolder);
    file.pattern = elsewhere ? R"(.+\.(?<range>\d+)\.nsys-rep)" : kWorkerPattern;
    return file;
}

ExpectedFile torchFile(const RecipeInput& input, Role role)
{
    const SessionConfig& config = input.config;
    const TorchOptions& torch = config.role(role).torch.isSet() ? config.role(role).torch : config.torch;
    ExpectedFile file;
    file.kind = ReportKind::torchTrace;
    file.steps = stepGroups(config);
    const auto steps = static_cast<int64_t>(sortedSteps(config).size());
    const bool discrete = torch.discrete.value_or(false);
    const int64_t stages = role == Role::rollout ? 1 : stagesOf(role);
    file.reportsPerRank = discrete ? steps * stages : static_cast<int64_t>(file.steps.size());
    file.size_bytes = torchTraceSize(torch, file.steps.empty() ? 1 : file.steps.front().size());
    file.folder = torchFolder(input, role);
    file.pattern = role == Role::rollout ? kRolloutPattern : torchPattern(input.schema);
    return file;
}

ExpectedFile memoryFile(const RecipeInput& input, Role role)
{
    const SessionConfig& config = input.config;
    ExpectedFile file;
    file.kind = ReportKind::memorySnapshot;
    file.steps = stepGroups(config);
    file.reportsPerRank = static_cast<int64_t>(file.steps.size());
    const TorchMemoryOptions& own = config.role(role).torchMemory;
    file.size_bytes = memorySnapshotSize({own.maxEntries ? own.maxEntries : config.torchMemory.maxEntries,
                                          own.stackDepth ? own.stackDepth : config.torchMemory.stackDepth});
    file.folder = config.role(role).savePath.value_or(config.savePath.value_or("outputs/profile")) + "/step*";
    file.pattern = kMemoryPattern;
    return file;
}

// The role's reports come from a process of its own. The rollout and ref share the actor's worker, whose
// block alone is read; the rollout engine has its own, for torch only.
bool hasOwnReports(const RecipeInput& input, Role role)
{
    if (!isRoleOn(input.config, input.schema, role)) return false;
    if (role == Role::ref)
        return !isRoleOn(input.config, input.schema, Role::actor) && isOldVerl(input.schema);
    if (role != Role::rollout) return true;
    const TorchOptions& own = input.config.role(role).torch;
    const TorchOptions& torch = own.isSet() ? own : input.config.torch;
    const bool oldAlone = isOldVerl(input.schema) && !isRoleOn(input.config, input.schema, Role::actor);
    return oldAlone || (isOwnTool(input, role, Tool::torch) && torch.discrete.value_or(false));
}

} // namespace

RecordedRanks recordedRanks(const RecipeInput& input, Role role)
{
    const RoleProfile* profile = &input.config.role(role);
    const RoleProfile& actor = input.config.role(Role::actor);
    const bool copies = role == Role::rollout && !isOldVerl(input.schema) && !profile->enable;
    if (copies) profile = &actor;
    RecordedRanks recorded;
    if (profile->allRanks.value_or(false)) {
        recorded.rankCount = knownWorldSize(input.config);
        for (int64_t rank = 0;
             recorded.rankCount && *recorded.rankCount <= 100'000 && rank < *recorded.rankCount; ++rank) {
            recorded.ranks.push_back(rank);
        }
        return recorded;
    }
    if (profile->ranks) recorded.ranks = *profile->ranks;
    std::sort(recorded.ranks.begin(), recorded.ranks.end());
    recorded.ranks.erase(std::unique(recorded.ranks.begin(), recorded.ranks.end()), recorded.ranks.end());
    if (recorded.ranks.empty() && !isOldVerl(input.schema)) recorded.ranks = {0};
    recorded.rankCount = static_cast<int64_t>(recorded.ranks.size());
    return recorded;
}

void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    if (sortedSteps(config).empty()) return;
    for (const Role role : kRoles) {
        if (!hasOwnReports(input, role)) continue;
        const Tool tool = config.role(role).tool.value_or(*config.tool);
        ExpectedFile file = tool == Tool::nsys    ? nsysFile(input, role)
                            : tool == Tool::torch ? torchFile(input, role)
                                                  : memoryFile(input, role);
        file.role = wordOf(role);
        RecordedRanks recorded = recordedRanks(input, role);
        for (HostRanks& part : ranksByHost(input.hosts, recorded.ranks)) {
            file.host = part.host;
            file.ranks = std::move(part.ranks);
            file.rankCount =
                file.ranks.empty() ? recorded.rankCount : std::optional<int64_t>(file.ranks.size());
            files.push_back(file);
        }
    }
    if (config.tool != Tool::nsys || files.empty()) return;
    ExpectedFile controller;
    controller.role = "controller";
    controller.rankCount = 1;
    controller.host = input.hosts.size() == 1 ? input.hosts[0].name : "";
    controller.folder = kRayFolder;
    controller.pattern = kControllerPattern;
    controller.size_bytes = controllerReportSize();
    files.push_back(std::move(controller));
}

} // namespace lockstep
