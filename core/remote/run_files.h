// SPDX-License-Identifier: Apache-2.0
// What a run keeps in its folder here, and where its agents keep theirs: names and contents, for Run alone.
// See run_record.h for the list.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/remote/run_record.h"

namespace lockstep {

// Below a host's home folder.
inline const std::string kAgentRuns = ".local/state/lockstep/agent-runs/";

// "2026-11-20T12-01-07-NAME", with a number behind where that is taken.
std::string newRunId(const std::string& session, int64_t now_ns);
std::string planFileName(std::string_view host);
// Where the host's agent keeps its runs: not in a home folder that many machines look into.
std::string agentRunsFolder(const HostPlan& host, const HostFacts* facts);
// 0 where there are no commands.
int lastOrderOf(std::span<const HostPlan> plans);
Result<std::string> textOfFile(const std::filesystem::path& path); // io
// session.yaml, facts.json and plan.json. io.
Status writeRunFiles(const std::filesystem::path& folder, const SessionConfig& config, const LaunchPlan& plan,
                     std::span<const HostFacts> facts);

} // namespace lockstep
