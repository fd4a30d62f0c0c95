// SPDX-License-Identifier: Apache-2.0
// Names and contents of the files in a run's local folder and in the folders of its agents. Used only by Run.
// run_record.h lists the files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/remote/run_record.h"

namespace lockstep {

// Path relative to a host's home folder.
inline const std::string kAgentRuns = ".local/state/lockstep/agent-runs/";

// Returns "2026-11-20T12-01-07-NAME", with a number appended if that ID exists.
std::string newRunId(const std::string& session, int64_t now_ns);
std::string planFileName(std::string_view host);
// Returns the folder in which the host's agent stores its runs. If several machines share the home folder,
// this folder is on a local disk.
std::string agentRunsFolder(const HostPlan& host, const HostFacts* facts);
// Returns the highest order of all commands, or 0 if there are none.
int lastOrderOf(std::span<const HostPlan> plans);
// Returns the content of a file. Errors: io.
Result<std::string> textOfFile(const std::filesystem::path& path);
// Writes session.yaml, facts.json and plan.json. Errors: io.
Status writeRunFiles(const std::filesystem::path& folder, const SessionConfig& config, const LaunchPlan& plan,
                     std::span<const HostFacts> facts);

} // namespace lockstep
