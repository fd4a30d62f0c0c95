// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/capture_environment.h"

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/script_launch.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::string_view kUnresolvedLibrary = "~/.cache/lockstep/capture/liblockstep_capture.so";
constexpr int64_t kMaxRanks = 100'000;

std::string commaList(const std::vector<int64_t>& numbers)
{
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

// Returns the name that planLaunch() gives to the host that runs the commands.
std::string plannedName(const RecipeInput& input)
{
    const Launcher& launcher = input.config.launcher;
    if (launcher.kind == LauncherKind::slurm)
        return launcher.loginNode.empty() ? "login" : launcher.loginNode;
    if (input.hostIndex < input.hosts.size()) return input.hosts[input.hostIndex].name;
    return launcher.kind == LauncherKind::rayJob ? "head" : "";
}

// Returns the hosts, with the number of processes that torchrun starts on each host.
std::vector<Host> hostsWithProcesses(const RecipeInput& input)
{
    std::vector<Host> hosts(input.hosts.begin(), input.hosts.end());
    const bool isSet =
        recipeFor(input.config.framework).usesTorchrun && input.config.torchrun.processesPerNode;
    for (Host& host : hosts) {
        if (isSet) host.gpus = input.config.torchrun.processesPerNode;
    }
    return hosts;
}

std::optional<int64_t> worldSizeOf(const RecipeInput& input, const std::vector<Host>& hosts)
{
    if (!recipeFor(input.config.framework).usesTorchrun) return knownWorldSize(input.config);
    int64_t total = 0;
    for (const Host& host : hosts) {
        if (!host.gpus || *host.gpus < 1 || *host.gpus > kMaxRanks) return std::nullopt;
        total += *host.gpus;
    }
    return total;
}

// Returns the pattern for ROLE_rankR_HOST_PID.N.lsc. A single program has no rank, or has rank 0.
std::string spoolPattern(bool isAlone)
{
    return std::string(R"((?<role>[^_]+)_rank(?<rank>)") + (isAlone ? "0?" : R"(\d+)") +
           R"()_(?<host>[^_]+)_(?<pid>\d+)\.(?<range>\d+)\.lsc)";
}

void addSteps(const SessionConfig& config, TextPairs& environment)
{
    const std::vector<int64_t> steps = sortedSteps(config);
    if (!steps.empty()) {
        environment.emplace_back("LOCKSTEP_STEPS", commaList(steps));
        environment.emplace_back("LOCKSTEP_CAPTURE_STEPS_ARE", enumName(*captureStepsAre(config)));
    }
    if (config.discrete) environment.emplace_back("LOCKSTEP_DISCRETE", *config.discrete ? "1" : "0");
    if (config.profileContinuousSteps)
        environment.emplace_back("LOCKSTEP_CAPTURE_CONTINUOUS", *config.profileContinuousSteps ? "1" : "0");
}

// Returns the path of the library on the host. This is the path in the session, otherwise the path where the
// library was installed when the host was queried. If the host was not queried yet, it is a path that begins
// with "~/".
std::string captureLibraryPath(const RecipeInput& input)
{
    if (!input.config.capture.library.empty()) return input.config.capture.library;
    const HostFacts* const facts = findHostFacts(input.facts, plannedName(input));
    const std::string installed = facts != nullptr ? facts->captureLibrary.value_or("") : std::string();
    return installed.empty() ? std::string(kUnresolvedLibrary) : installed;
}

} // namespace

std::string installedLibraryPath(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    const bool isInstalled = config.tool == Tool::capture && config.capture.library.empty();
    return isInstalled ? captureLibraryPath(input) : std::string();
}

std::string captureFolder(const SessionConfig& config)
{
    if (!config.savePath) return runFolder(config) + "/reports";
    const bool isBelow = !isAbsoluteOrHomePath(*config.savePath) && !config.workingFolder.empty();
    return (isBelow ? config.workingFolder + "/" : "") + *config.savePath;
}

std::string captureRange(const SessionConfig& config)
{
    if (!config.capture.range.empty()) return config.capture.range;
    // Frameworks that run on Ray call the profiler's start and stop functions only for their own tools.
    const bool isTriggered = !recipeFor(config.framework).usesRay && !sortedSteps(config).empty();
    return isTriggered ? "cudaProfilerApi" : "all";
}

std::optional<CaptureSteps> captureStepsAre(const SessionConfig& config)
{
    if (sortedSteps(config).empty()) return std::nullopt;
    if (config.capture.stepsAre) return config.capture.stepsAre;
    const std::string range = captureRange(config);
    if (range == "cudaProfilerApi") return CaptureSteps::listed;
    return range == "all" || range.substr(0, range.rfind('@')).ends_with('*') ? CaptureSteps::names
                                                                              : CaptureSteps::ordinals;
}

std::vector<int64_t> captureRanks(const SessionConfig& config)
{
    std::vector<int64_t> ranks = config.capture.ranks.value_or(std::vector<int64_t>());
    if (!config.capture.ranks && recipeFor(config.framework).data != nullptr)
        ranks = config.ranks.value_or(std::vector<int64_t>());
    for (const RoleProfile& role : config.roles) {
        if (!hasRoles(config) || config.capture.ranks) break;
        if (!role.enable.value_or(false)) continue;
        if (role.allRanks.value_or(false)) return {};
        if (!role.ranks || role.ranks->empty())
            ranks.push_back(0); // the rank of an enabled role without ranks
        else
            ranks.insert(ranks.end(), role.ranks->begin(), role.ranks->end());
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

TextPairs captureEnvironment(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    const CaptureOptions& capture = config.capture;
    if (config.tool != Tool::capture) return {};
    const std::string library = captureLibraryPath(input);
    TextPairs environment;
    if (capture.cuda.value_or(true)) environment.emplace_back("CUDA_INJECTION64_PATH", library);
    environment.emplace_back("NVTX_INJECTION64_PATH", library);
    environment.emplace_back("LOCKSTEP_OUTPUT", captureFolder(config));
    if (!capture.role.empty()) environment.emplace_back("LOCKSTEP_ROLE", capture.role);
    const std::vector<int64_t> ranks = captureRanks(config);
    environment.emplace_back(ranks.empty() ? "LOCKSTEP_ALL_RANKS" : "LOCKSTEP_RANKS",
                             ranks.empty() ? "1" : commaList(ranks));
    addSteps(config, environment);
    environment.emplace_back("LOCKSTEP_CAPTURE_RANGE", captureRange(config));
    if (capture.whenFull) environment.emplace_back("LOCKSTEP_CAPTURE_WHEN_FULL", enumName(*capture.whenFull));
    if (!capture.cuda.value_or(true)) environment.emplace_back("LOCKSTEP_CAPTURE_CUDA", "0");
    if (capture.graphTrace)
        environment.emplace_back("LOCKSTEP_CAPTURE_GRAPH_TRACE", enumName(*capture.graphTrace));
    return environment;
}

void setRunId(HostPlan& host, const std::string& run)
{
    const auto sets = [&host](std::string_view name) {
        return std::ranges::any_of(host.environment, [name](const auto& pair) { return pair.first == name; });
    };
    // The shims of a script set the other variables.
    const bool isInScript =
        !host.captureLibrary.empty() && std::ranges::any_of(host.files, [](const auto& file) {
            return file.path.ends_with(kShimSessionPath);
        });
    if ((sets("LOCKSTEP_OUTPUT") || isInScript) && !sets("LOCKSTEP_RUN") && !sets("LOCKSTEP_CAPTURE_RUN"))
        host.environment.emplace_back("LOCKSTEP_RUN", run);
}

bool hasRunId(const HostPlan& host, const std::string& run)
{
    const std::pair<std::string, std::string> variable("LOCKSTEP_RUN", run);
    return std::ranges::find(host.environment, variable) != host.environment.end();
}

void forecastCapture(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    const std::vector<Host> hosts = hostsWithProcesses(input);
    const std::optional<int64_t> world = worldSizeOf(input, hosts);
    std::vector<int64_t> ranks = captureRanks(config);
    const int64_t all = ranks.empty() && world && *world <= kMaxRanks ? *world : 0;
    for (int64_t rank = 0; rank < all; ++rank)
        ranks.push_back(rank);
    const bool isDiscrete = config.discrete.value_or(false);
    const auto groups = stepGroups(config);
    for (HostRanks& part : ranksByHost(hosts, ranks)) {
        ExpectedFile file;
        file.kind = ReportKind::captureSpool;
        file.role = config.capture.role;
        file.host = part.host;
        file.ranks = std::move(part.ranks);
        file.unknownReason = file.isCountKnown() ? "" : kGpusUnknown;
        const size_t required = isDiscrete ? sortedSteps(config).size()
                                           : groups.size(); // if there are stages, steps do not share reports
        file.reportsPerRank = std::max<int64_t>(1, static_cast<int64_t>(required));
        if (!isDiscrete) file.steps = groups;
        file.folder = captureFolder(config);
        file.pattern = spoolPattern(world == 1 && captureRanks(config).empty());
        file.size_bytes = captureSpoolSize(groups.empty() || isDiscrete ? 1 : groups.front().size());
        files.push_back(std::move(file));
    }
}

} // namespace lockstep
