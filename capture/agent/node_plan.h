// SPDX-License-Identifier: Apache-2.0
// NodePlan is one node's part of a launch plan, in the form that the supervisor runs. `lockstep-agent run
// --plan FILE` reads the JSON that core/session prints for a host: jsonFromHostPlan(), see launch_plan.h.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/command_monitor.h"
#include "capture/agent/log_findings.h"
#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep::agent {

class RunFolder;

struct NodePlan {
    // Written before the first command; paths are relative to the working folder.
    std::vector<PlannedFile> files;
    std::vector<Command> commands;    // run in sequence; the first failure ends the run
    std::vector<std::string> secrets; // variables whose values are not in the plan
    std::string workingFolder;    // working folder of all commands; "" = folder in which the run was started
    bool exchangesClocks = false; // whether this host exchanges timestamps with the other hosts of the run
    // References such as $SLURM_NNODES in commands that this host cannot resolve; the run must not start.
    std::vector<std::string> unresolved;
    KnownLines known;                     // of the frameworks, in addition to those of log_findings.h
    std::vector<std::string> reportRoots; // folders and patterns to look for reports in, see ReportScanner

    // Returns true if the plan runs a user's launch script, see launch_shim.h.
    bool runsScript() const;
};

// Parses a plan and resolves its references on this host, see host_reference.h. Adds the folders that Ray
// writes to by default to the report roots, for every Ray session, because the link session_latest may be
// stale. Returns corrupt if the text is not a valid JSON plan, and invalid if there are no commands.
Result<NodePlan> nodePlanFromJson(std::string_view json);

// Returns the folders and patterns where reports of a run are expected, according to the plan in the run
// folder. Relative folders are relative to the folder in which the run was started. Returns notFound or io if
// the plan cannot be read; other errors as for nodePlanFromJson().
Result<std::vector<std::string>> reportRootsOfRun(const RunFolder& folder);
// Returns the working folder of the commands, absolute and without links, or "" if there is no plan.
std::filesystem::path workingFolderOfRun(const RunFolder& folder);

// Makes a relative report folder of captures absolute, because a program may change its folder before the
// capture library is loaded. The current folder must be that in which the commands start.
void resolveCaptureFolders(NodePlan& plan);

// Sets the path of the capture library's log for commands that use the library. As a result, the agent can
// read the log, and a full report folder does not lose it. A log path specified in the plan is kept.
void setCaptureLog(NodePlan& plan, const std::filesystem::path& file);

// Name of the variable that contains the run folder, for commands that follow a job.
inline constexpr const char* kRunFolderVariable = "LOCKSTEP_AGENT_RUN_FOLDER";
// Makes the plan's uses of "lockstep-agent" in commands refer to this program, and passes the run folder to
// them.
void resolveAgentCommands(NodePlan& plan, const std::filesystem::path& runFolder);

// Values of secrets, keyed by name. If a value is nullopt, the run continues without that secret.
using Secrets = std::map<std::string, std::optional<std::string>>;
// Parses one line of JSON from standard input with values in hexadecimal: {"NAME": "6162", "OTHER": null}.
// Returns corrupt on failure.
Result<Secrets> secretsFromJson(std::string_view line);
// Adds the values to the environment of the plan's commands. Returns the names whose value was neither given
// nor found in this program's own environment.
std::vector<std::string> provideSecrets(NodePlan& plan, const Secrets& secrets);

} // namespace lockstep::agent
