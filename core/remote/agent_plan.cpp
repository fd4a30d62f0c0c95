// SPDX-License-Identifier: Apache-2.0
#include "core/remote/agent_plan.h"

#include <algorithm>
#include <filesystem>

#include "core/base/host_reference.h"
#include "core/remote/agent_client.h"
#include "core/scheduler/sbatch_options.h"
#include "core/session/container_places.h"
#include "core/session/expected_files.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/script_launch.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

PlannedCommand* submitCommand(HostPlan& host, std::string_view program)
{
    const auto found = std::ranges::find_if(host.commands, [program](const PlannedCommand& command) {
        return command.argv.size() > 1 && command.argv.front() == program;
    });
    return found == host.commands.end() ? nullptr : &*found;
}

// Returns the path prefix for the files of a run's job, which are next to the submitted script.
std::string stemOf(const HostPlan& login)
{
    for (const PlannedCommand& command : login.commands) {
        const auto option = std::ranges::find(command.argv, "--stem");
        if (option != command.argv.end() && option + 1 != command.argv.end()) return *(option + 1);
    }
    return {};
}

Result<HostPlan> slurmPlan(const LaunchPlan& plan, HostPlan& login, PlannedCommand& submit,
                           const JobOptions& jobOptions)
{
    // A user's own script follows "--", with its arguments.
    const auto dashes = std::ranges::find(submit.argv, "--");
    const bool isOwnScript = dashes != submit.argv.end();
    const auto last = isOwnScript ? dashes : submit.argv.end() - 1;
    const std::vector<std::string> scriptWords(isOwnScript ? dashes + 1 : last, submit.argv.end());
    std::vector<std::string> options(submit.argv.begin() + 1, last);
    std::erase(options, "--parsable"); // the plan adds this option
    LOCKSTEP_TRY(watchableOptions(options, "launcher.slurm_options"));
    const std::string& script = scriptWords.front();
    const auto session = std::ranges::find_if(
        login.files, [](const PlannedFile& file) { return file.path.ends_with(kShimSessionPath); });
    const std::string ownFolder =
        session == login.files.end()
            ? script.substr(0, script.rfind('/') + 1) // if there is no slash, npos + 1 is 0
            : session->path.substr(0, session->path.size() - kShimSessionPath.size() + 1);
    const std::string stem = ownFolder + jobOptions.runId;
    submit.purpose = "Slurm job";
    submit.argv = {"lockstep-agent", "slurm",
                   "--script",       script,
                   "--stem",         stem,
                   "--agent",        jobOptions.quotedAgentPath,
                   "--runs",         quotedHostPath(jobOptions.runDir),
                   "--hold",         std::to_string(jobOptions.hold_s)};
    if (isOwnScript) {
        submit.argv.insert(submit.argv.end(), {"--session", session->path});
        for (size_t i = 1; i < scriptWords.size(); ++i)
            submit.argv.insert(submit.argv.end(), {"--argument", scriptWords[i]});
    }
    submit.argv.emplace_back("--");
    submit.argv.insert(submit.argv.end(), options.begin(), options.end());
    login.files.push_back({stem + ".watch", jsonFromHostPlan(plan, slurmNodePlan(login, "node")), false});
    login.reportFolders.clear();   // the agents on the nodes search these folders
    login.exchangesClocks = false; // the nodes exchange clocks instead
    return login;
}

} // namespace

HostPlan slurmNodePlan(const HostPlan& login, const std::string& node)
{
    HostPlan plan;
    plan.host = node;
    plan.exchangesClocks = login.exchangesClocks;
    plan.reportFolders = login.reportFolders;
    plan.failures = login.failures;
    plan.signs = login.signs;
    for (std::string& folder : plan.reportFolders) {
        if (!isAbsoluteOrHomePath(folder) && !login.workingFolder.empty())
            folder.insert(0, login.workingFolder + '/');
    }
    // The agent detaches from the step that started it, and Slurm may lose track of it. The agent therefore
    // polls to detect the end of the script or step.
    constexpr const char* kWatch =
        "until [ -s \"$1\" ]; do [ -z \"$LOCKSTEP_TASK\" ] || kill -0 \"$LOCKSTEP_TASK\" 2> /dev/null || exit 1; sleep 1; done";
    plan.commands = {{1, "watch the job", {"/bin/sh", "-c", kWatch, "watch", stemOf(login) + ".exit"}}};
    return plan;
}

Result<HostPlan> jobPlan(const LaunchPlan& plan, const HostPlan& host, const JobOptions& jobOptions)
{
    HostPlan made = host;
    if (PlannedCommand* const submit = submitCommand(made, "sbatch"))
        return slurmPlan(plan, made, *submit, jobOptions);
    PlannedCommand* const submit = submitCommand(made, "ray");
    if (submit == nullptr) return makeError(ErrorKind::invalid, host.host + ": the plan submits no job");
    // Ray accepts only letters, digits, '-' and '_' in a submission ID.
    std::string id = "lockstep-" + jobOptions.runId;
    std::ranges::replace_if(
        id, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_'; },
        '_');
    submit->purpose = "Ray job";
    submit->argv.insert(submit->argv.begin(), {"lockstep-agent", "ray-job", "--id", id, "--"});
    return made;
}

std::string slurmReleaseText(const HostPlan& login)
{
    std::string text;
    if (!login.workingFolder.empty()) text = "cd && " + shellEnter(login.workingFolder) + " && ";
    return text + "umask 077; : > " + bashQuoted(stemOf(login) + ".collected");
}

namespace {

std::string placed(const std::string& path, const HostPlan& host)
{
    if (isAbsoluteOrHomePath(path)) return path;
    std::string whole = host.workingFolder;
    if (!whole.empty()) whole += '/';
    whole += path;
    if (isAbsoluteOrHomePath(whole)) return whole;
    // Local commands start in the current folder of this program, and remote commands in the home folder.
    if (host.address.empty()) return std::filesystem::absolute(whole).lexically_normal().string();
    return whole.insert(0, "~/");
}

} // namespace

std::vector<std::string> reportRoots(const SessionConfig& config, const HostPlan& host)
{
    std::vector<std::string> roots;
    const ContainerPlaces places = containerPlaces(config);
    const auto add = [&](const std::string& folder) {
        if (folder.empty()) return;
        const std::string path = placed(places.onHost(folder).value_or(folder), host);
        if (std::ranges::find(roots, path) == roots.end()) roots.push_back(path);
    };
    if (config.savePath) add(*config.savePath);
    for (const Role role : kRoles) {
        if (const auto& own = config.role(role).savePath) add(*own);
    }
    for (const std::string& folder : host.reportFolders)
        add(folder);
    for (const auto& [name, value] : config.environment) {
        if (name == "BASE_LOG_DIR" || name == "LOG_DIR" || name == "LOCKSTEP_OUTPUT") add(value);
    }
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    for (const std::string& folder : recipe != nullptr ? recipe->search : std::vector<std::string>())
        add(folder);
    const bool usesRay =
        config.launcher.startRay.value_or(false) || config.launcher.kind == LauncherKind::rayJob;
    if (usesRay) add(std::string(kRayReportFolder));
    if (roots.empty()) add(host.workingFolder.empty() ? "." : host.workingFolder);
    return roots;
}

} // namespace lockstep
