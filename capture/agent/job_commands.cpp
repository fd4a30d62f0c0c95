// SPDX-License-Identifier: Apache-2.0
// Commands that a plan starts to follow a job, and a query about the job itself on a node.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "capture/agent/agent_commands.h"
#include "capture/agent/job_follower.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/ray_scheduler.h"
#include "capture/agent/slurm_scheduler.h"
#include "core/base/text.h"
#include "core/session/expected_files.h"
#include "core/session/shell_quote.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Options up to "--", and the arguments after it.
struct Split {
    Arguments options, words;

    explicit Split(Arguments arguments)
    {
        const auto dashes = std::ranges::find(arguments, "--");
        const auto count = static_cast<size_t>(dashes - arguments.begin());
        options = arguments.first(count);
        words = arguments.subspan(std::min(count + 1, arguments.size()));
    }
    std::string valueOf(std::string_view option) const
    {
        for (size_t i = 0; i + 1 < options.size(); ++i) {
            if (options[i] == option) return options[i + 1];
        }
        return {};
    }
};

// Returns the run folder of the supervisor that started this program, or an empty path if no supervisor did.
fs::path ownRunFolder()
{
    const char* const folder = std::getenv(kRunFolderVariable);
    return folder != nullptr ? folder : "";
}

// Returns true if reports in this folder or pattern are on a disk that other machines see. Ray's own folder
// counts only on nodes where Ray ran.
bool isReportRootShared(const std::string& root)
{
    fs::path folder = root.substr(0, root.find_first_of("*?["));
    std::error_code error;
    if (root == kRayReportFolder && !fs::exists("/tmp/ray", error)) return true;
    folder = fs::absolute(folder, error);
    while (!fs::exists(folder, error) && folder.has_relative_path())
        folder = folder.parent_path();
    return isOnSharedDisk(folder);
}

// In an entry point that runs a launch script, replaces "lockstep-agent launch" by the path of this program
// and the run folder. Ray's head node has both if it is this host or shares its home folder.
Status nameAgentIn(const std::string& script, const fs::path& runFolder)
{
    constexpr std::string_view kLaunch = "lockstep-agent launch";
    std::string text = LOCKSTEP_TRY(readTextFile(script));
    const size_t at = text.find(kLaunch);
    if (at == std::string::npos) return {};
    std::error_code error;
    const std::string program = fs::read_symlink("/proc/self/exe", error).string();
    text.replace(at, kLaunch.size(),
                 shellQuoted(program) + " launch --run " + shellQuoted(runFolder.string()));
    return writeTextFile(script, text, 0700);
}

} // namespace

int slurmCommand(Arguments arguments)
{
    const Split split(arguments);
    const RunFolder folder(ownRunFolder());
    SlurmJobOptions options;
    options.script = split.valueOf("--script");
    options.stem = split.valueOf("--stem");
    options.quotedAgentPath = split.valueOf("--agent");
    options.quotedRunsPath = split.valueOf("--runs");
    options.hold_s = parseInt(split.valueOf("--hold")).value_or(0);
    options.options.assign(split.words.begin(), split.words.end());
    options.session = split.valueOf("--session");
    for (size_t i = 0; i + 1 < split.options.size(); ++i) {
        if (split.options[i] == "--argument") options.arguments.push_back(split.options[++i]);
    }
    if (!options.session.empty()) options.runFolder = folder.path().string();
    if (folder.path().empty() || options.script.empty() || options.stem.empty())
        return printError("slurm is started only by the supervisor of a run; it needs --script and --stem",
                          2);
    const auto text = readTextFile(folder.planFile());
    const auto plan = text ? hostPlanFromJson(*text) : Result<HostPlan>(tl::make_unexpected(text.error()));
    if (!plan) return printError(plan.error().message, 1);
    options.environment = plan->environment; // with its references, which the job resolves
    options.secrets = plan->secrets;
    SlurmScheduler scheduler(std::move(options));
    return JobFollower(scheduler, folder).run();
}

int rayJobCommand(Arguments arguments)
{
    const Split split(arguments);
    const RunFolder folder(ownRunFolder());
    RayJobOptions options;
    options.submissionId = split.valueOf("--id");
    options.folder = folder.path().string();
    options.submitCommand.assign(split.words.begin(), split.words.end());
    if (folder.path().empty() || options.submissionId.empty() || options.submitCommand.empty())
        return printError(
            "ray-job is started only by the supervisor of a run; it needs --id and the submit command", 2);
    // Ray chooses the working folder of the entry point.
    std::error_code error;
    if (std::string& script = options.submitCommand.back(); fs::exists(script, error)) {
        script = fs::absolute(script, error).string();
        if (const Status named = nameAgentIn(script, folder.path()); !named)
            return printError(named.error().message, 1);
    }
    RayScheduler scheduler(std::move(options));
    return JobFollower(scheduler, folder).run();
}

int sharedDiskCommand(Arguments arguments)
{
    const Split split(arguments);
    const std::string planFile = split.valueOf("--plan");
    const auto text = readTextFile(planFile);
    if (!text) return printError(text.error().message, 1);
    const auto plan = nodePlanFromJson(*text);
    if (!plan) return printError(plan.error().message, 1);
    return std::ranges::all_of(plan->reportRoots, isReportRootShared) ? 0 : 1;
}

} // namespace lockstep::agent
