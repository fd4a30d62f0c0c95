// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/node_plan.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "capture/agent/run_folder.h"
#include "capture/agent/run_history.h"
#include "core/base/host_reference.h"
#include "core/base/json_fields.h"
#include "core/session/expected_files.h"
#include "core/session/script_launch.h"
#include "core/session/typed_value.h"

namespace lockstep::agent {

namespace {

// Adds the names of the references that this host cannot resolve.
void addUnresolved(std::string_view word, std::vector<std::string>& names)
{
    for (const HostReference& one : hostReferences(word)) {
        const std::string written(word.substr(one.begin, one.size_bytes));
        const bool isListed = std::ranges::find(names, written) != names.end();
        if (one.name != "$" && !isListed && resolvedHere(written) == written) names.push_back(written);
    }
}

// Replaces the references that a shell would expand in the pasted plan, so that a command gets the same
// arguments from the agent as from the shell.
HostPlan withReferences(HostPlan host, std::vector<std::string>& unresolved)
{
    host.workingFolder = resolvedHere(host.workingFolder);
    const auto expand = [&host](std::string& word) { word = resolvedHere(word, host.workingFolder); };
    for (PlannedCommand& command : host.commands) {
        // A job's script resolves the references of its environment, see slurmCommand().
        const bool isFollower = !command.argv.empty() && command.argv.front() == "lockstep-agent";
        for (const std::string& word : command.argv)
            addUnresolved(word, unresolved);
        for (const auto& [name, value] : host.environment) {
            if (!isFollower) addUnresolved(value, unresolved);
        }
        std::ranges::for_each(command.argv, expand);
    }
    addUnresolved(host.workingFolder, unresolved);
    for (auto& [name, value] : host.environment)
        expand(value);
    for (PlannedFile& file : host.files)
        expand(file.path);
    std::ranges::for_each(host.reportFolders, expand);
    return host;
}

} // namespace

Result<NodePlan> nodePlanFromJson(std::string_view json)
{
    NodePlan plan;
    const HostPlan host = withReferences(LOCKSTEP_TRY(hostPlanFromJson(json)), plan.unresolved);
    // Even without commands, a node has to report its GPU load and the reports of its Ray workers.
    plan.workingFolder = host.workingFolder;
    plan.files = host.files;
    plan.secrets = host.secrets;
    plan.exchangesClocks = host.exchangesClocks;
    for (const PlannedCommand& planned : host.commands) {
        plan.commands.push_back({planned.purpose.empty() ? planned.argv[0] : planned.purpose, planned.order,
                                 planned.argv, host.workingFolder, host.environment});
    }
    for (const LogFailure& failure : host.failures) {
        Pattern log = LOCKSTEP_TRY(Pattern::compile(failure.pattern));
        plan.known.failures.push_back({std::move(log), failure.id, failure.text});
    }
    for (const auto& [word, pattern] : host.signs) {
        const auto kind = enumFromWord<LogSign::Kind>(word);
        // A newer Lockstep may know more kinds.
        if (kind) plan.known.signs.push_back({*kind, LOCKSTEP_TRY(Pattern::compile(pattern))});
    }
    for (const std::string& folder : host.reportFolders) {
        const bool isElsewhere = isAbsoluteOrHomePath(folder) || host.workingFolder.empty();
        plan.reportRoots.push_back(isElsewhere ? folder : host.workingFolder + "/" + folder);
    }
    if (std::ranges::find(plan.reportRoots, kRayReportFolder) == plan.reportRoots.end())
        plan.reportRoots.emplace_back(kRayReportFolder);
    return plan;
}

bool NodePlan::runsScript() const
{
    return std::ranges::any_of(files,
                               [](const PlannedFile& file) { return file.path.ends_with(kShimSessionPath); });
}

void resolveCaptureFolders(NodePlan& plan)
{
    for (Command& command : plan.commands) {
        for (auto& [name, value] : command.environment) {
            if (name != "LOCKSTEP_OUTPUT" && name != "LOCKSTEP_CAPTURE_OUTPUT") continue;
            std::error_code error;
            const std::filesystem::path placed =
                std::filesystem::absolute(std::filesystem::path(command.workingFolder) / value, error);
            if (!error) value = placed.string();
        }
    }
}

void setCaptureLog(NodePlan& plan, const std::filesystem::path& file)
{
    const auto sets = [](const Command& command, std::string_view name) {
        return std::ranges::any_of(command.environment,
                                   [name](const auto& pair) { return pair.first == name; });
    };
    for (Command& command : plan.commands) {
        const bool isNamed = sets(command, "LOCKSTEP_CAPTURE_LOG") || sets(command, "LOCKSTEP_LOG");
        if (!sets(command, "LOCKSTEP_OUTPUT") || isNamed) continue;
        command.environment.emplace_back("LOCKSTEP_CAPTURE_LOG", std::filesystem::absolute(file).string());
    }
}

void resolveAgentCommands(NodePlan& plan, const std::filesystem::path& runFolder)
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string run = std::filesystem::absolute(runFolder, error).string();
    for (Command& command : plan.commands) {
        if (error) return;
        // A script may be started inside a container, so the agent need not be the first word.
        const std::array<std::string_view, 2> kLaunch{"lockstep-agent", "launch"};
        const auto launch = std::ranges::search(command.argv, kLaunch);
        if (!launch.empty()) {
            *launch.begin() = program.string();
            command.argv.insert(launch.end(), {"--run", run});
        }
        if (command.argv.front() != "lockstep-agent") continue;
        command.argv.front() = program.string();
        command.isFollower = true;
        command.environment.emplace_back(kRunFolderVariable, run);
    }
}

Result<std::vector<std::string>> reportRootsOfRun(const RunFolder& folder)
{
    const std::string text = LOCKSTEP_TRY(readTextFile(folder.planFile()));
    const NodePlan plan = LOCKSTEP_TRY(nodePlanFromJson(text));
    const std::string start = readTextFile(folder.startFolderFile()).value_or("");
    std::vector<std::string> roots;
    for (const std::string& root : plan.reportRoots) {
        roots.push_back(isAbsoluteOrHomePath(root) || start.empty() ? root : start + "/" + root);
    }
    return roots;
}

std::filesystem::path workingFolderOfRun(const RunFolder& folder)
{
    const auto text = readTextFile(folder.planFile());
    const auto plan = text ? nodePlanFromJson(*text) : Result<NodePlan>(tl::make_unexpected(text.error()));
    if (!plan) return {};
    std::filesystem::path path = readTextFile(folder.startFolderFile()).value_or("");
    path /= plan->workingFolder; // replaces the path if the folder is absolute
    std::error_code error;
    return std::filesystem::weakly_canonical(path, error);
}

Result<Secrets> secretsFromJson(std::string_view line)
{
    // No message contains the text, because the text contains secrets.
    const Json object = LOCKSTEP_TRY(objectFromJson(line, "the line of secrets on standard input"));
    Secrets secrets;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_string() && !value.is_null())
            return makeError(ErrorKind::corrupt, "the secret " + name + " is not a string");
        secrets[name] =
            value.is_string() ? std::optional(bytesOfHex(value.get<std::string>())) : std::nullopt;
    }
    return secrets;
}

std::vector<std::string> provideSecrets(NodePlan& plan, const Secrets& secrets)
{
    std::vector<std::string> missing;
    for (const std::string& name : plan.secrets) {
        const auto given = secrets.find(name);
        if (given == secrets.end() && std::getenv(name.c_str()) == nullptr) missing.push_back(name);
        if (given == secrets.end() || !given->second) continue;
        for (Command& command : plan.commands) {
            command.environment.emplace_back(name, *given->second);
            command.secrets.push_back(name);
        }
    }
    return missing;
}

} // namespace lockstep::agent
