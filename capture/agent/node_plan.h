// SPDX-License-Identifier: Apache-2.0
// NodePlan: one node's part of a launch plan as the supervisor runs it. `lockstep-agent run --plan FILE`
// reads the JSON that core/session prints for a host: jsonFromHostPlan(), see launch_plan.h.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/shepherd.h"
#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep::agent {

class RunFolder;

struct NodePlan {
    std::vector<PlannedFile> files;       // written before the first command; relative to the working folder
    std::vector<Command> commands;        // run one after the other; the first that fails ends the run
    std::vector<std::string> secrets;     // variables whose values are not in the plan
    std::string workingFolder;            // of all commands; "" = where the run was started
    bool exchangesClocks = false;         // with the other hosts of the run
    std::vector<std::string> reportRoots; // folders and patterns to look for reports in, see ReportScanner
};

// The plan's report folders and those that Ray writes to without being told: of every session there is, since
// the link session_latest may be stale. corrupt: not that JSON; invalid: no commands.
Result<NodePlan> nodePlanFromJson(std::string_view json);

// Where reports of a run are looked for, by its folder's plan; relative folders are below the one in which it
// was started. notFound, io: there is no plan; else as nodePlanFromJson().
Result<std::vector<std::string>> reportRootsOfRun(const RunFolder& folder);
// Where its commands work, absolute and without links; "" where there is no plan.
std::filesystem::path workingFolderOfRun(const RunFolder& folder);

// Tells commands that carry Lockstep's capture library where its log is: here it is read, and the folder of
// the reports may be what is full. A log that the plan names stays.
void nameCaptureLog(NodePlan& plan, const std::filesystem::path& file);

// The variable that names a run's folder to the commands that follow a job.
inline constexpr const char* kRunFolderVariable = "LOCKSTEP_AGENT_RUN_FOLDER";
// Has commands of the plan that begin with "lockstep-agent" run this very program, and names the run's folder
// to them.
void placeOwnCommands(NodePlan& plan, const std::filesystem::path& runFolder);

// Values of secrets by name; no value: the run goes without it.
using Secrets = std::map<std::string, std::optional<std::string>>;
// One line of JSON as it comes over standard input, values in hexadecimal: {"NAME": "6162", "OTHER": null}.
// corrupt.
Result<Secrets> secretsFromJson(std::string_view line);
// Adds the values to what the plan's commands see. Names that have none, neither given nor in this program's
// own environment.
std::vector<std::string> giveSecrets(NodePlan& plan, const Secrets& secrets);

} // namespace lockstep::agent
