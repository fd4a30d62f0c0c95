// SPDX-License-Identifier: Apache-2.0
// Launch scripts that run unread. A session may name a script instead of a command. On the host, bash runs it
// with a folder of shims first in PATH (capture/agent/launch_shim.h). Each program that the script starts
// through a shim is passed to shimmedLaunch(), which recognizes the training by the recipe's patterns and
// returns the same program with the profiling settings added. Everything else runs unchanged.
// Pure. Thread: any.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// Names of programs that launch scripts start trainings with. Shims exist for those that the host has.
std::span<const std::string_view> shimmedPrograms();
// Returns true for a name that needs a shim: one of shimmedPrograms(), an interpreter such as python3.11, or
// a program that a pattern of the session's recipe matches.
bool needsShim(const SessionConfig& session, std::string_view name);

struct ShimmedLaunch {
    enum class Outcome : uint8_t {
        unrelated, // not a training: run it unchanged
        profiled,  // the session's training, with the additions below
        foreign,   // a training of another framework: run it unchanged
        refused    // the session's training, but nothing can be added; see `problem`
    };

    Outcome outcome = Outcome::unrelated;
    std::string framework;         // name of the recognized recipe
    std::vector<std::string> argv; // what to run
    // The words that were added to the command, in its order, and the variables that were set for it.
    std::vector<std::string> added;
    TextPairs environment;
    std::string folder; // report folder, to be created first; "" = none
    // Why nothing was added, or what the user must know about the additions; "" = nothing.
    std::string problem;
};
std::span<const std::string_view> enumNames(ShimmedLaunch::Outcome);

// Returns what becomes of a program that the script of the session starts. argv: as passed to exec(). host:
// name of the host in the session, "" = the first. resolve: replaces the references in a text of the session
// by their values on the host; empty = they are kept. The recipes of the session must be those of
// launchRecipes().
using ResolveText = std::function<std::string(const std::string& text)>;
ShimmedLaunch shimmedLaunch(const SessionConfig& session, std::string_view host,
                            std::vector<std::string> argv, const ResolveText& resolve = {});

// Returns the program that the recipe makes of the session's command, which is the part of a launch in a
// script that a profiler can be placed around.
Result<RecipeProgram> scriptProgram(const RecipeInput& input);

// Returns true if the plan runs the script under shims. A script of the framework `command` is a plain
// command instead: whatever it starts belongs to it.
bool usesShims(const SessionConfig& config);
// Returns the words that run the script: bash, the script, its arguments.
std::vector<std::string> scriptCommand(const SessionConfig& config);
// Returns the session of a training that the script has started, with the recorded command, for the forecast
// and the checks. argv: as recorded, with its wrappers.
SessionConfig resolvedSession(SessionConfig config, std::vector<std::string> argv);
// Uses the first training that gets profiling settings; without one, returns the session unchanged.
SessionConfig resolvedSession(const SessionConfig& config, std::span<const RecordedLaunch> launches);
// Returns the session with the script's words as its command if it does not use shims, otherwise unchanged.
SessionConfig withScriptAsCommand(SessionConfig config);

// Returns the words that start the script under shims on a host. The agent inserts its own path and the run
// folder.
std::vector<std::string> shimmedCommand(const SessionConfig& config, std::string_view host);
// Returns the launch with the additions that the session makes now.
RecordedLaunch updatedLaunch(const SessionConfig& session, const RecordedLaunch& launch);

// Returns the plan of a dry run: the script on each host that would run it, with the training only recorded.
// A batch script runs on the login node, without sbatch. Errors: those of planLaunch(); invalid for a session
// whose script is not run under shims.
Result<LaunchPlan> dryRunPlan(const SessionConfig& config, std::span<const HostFacts> facts);

// Returns the files that the shims read on a host: the session with everything that the plan has decided
// (release, path of the capture library), and the user's own recipe.
std::vector<PlannedFile> shimFiles(const RecipeInput& input);
// Returns the path of the session among these files, which ends with kShimSessionPath.
inline constexpr std::string_view kShimSessionPath = "/script/session.yaml";
std::string shimSessionFile(const SessionConfig& config);

} // namespace lockstep
