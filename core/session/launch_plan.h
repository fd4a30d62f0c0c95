// SPDX-License-Identifier: Apache-2.0
// LaunchPlan contains all files and commands for a run, per host. planLaunch() computes it before the launch.
// It can be printed as text, and is sent to the hosts as JSON for `lockstep-agent run --plan`. Pure value
// types. Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/host_facts.h"
#include "core/session/session_config.h"

namespace lockstep {

struct PlannedFile {
    std::string path; // path on the host
    std::string content;
    bool isExecutable = false;

    friend bool operator==(const PlannedFile&, const PlannedFile&) = default;
};

struct PlannedCommand {
    // Applies across all hosts: a command starts after the commands with lower order have started.
    int order = 1;
    std::string purpose; // label: "start Ray", "train"
    std::vector<std::string> argv;

    friend bool operator==(const PlannedCommand&, const PlannedCommand&) = default;
};

// A failure of the framework, known by text in the output of the run.
struct LogFailure {
    std::string id;      // RECIPE.ID
    std::string pattern; // matches a part of a line
    std::string text;    // cause and remedy, as readable text

    friend bool operator==(const LogFailure&, const LogFailure&) = default;
};

struct HostPlan {
    std::string host;
    std::string address;     // argument for ssh; "" = this machine
    std::string agentFolder; // see Host::agentFolder
    // Path where Lockstep installs its capture library; "" = it does not install the library. If the path
    // begins with "~/", the host was not queried yet, so the plan cannot be started.
    std::string captureLibrary;
    std::string workingFolder; // folder in which every command runs; "" = the default folder of the shell
    TextPairs environment;     // set for every command; excludes secrets
    std::vector<std::string> secrets; // names of variables whose values are passed at launch
    // Whether the host exchanges timestamps with the other hosts of the run over UDP.
    bool exchangesClocks = false;
    std::vector<PlannedFile> files;
    std::vector<PlannedCommand> commands;
    std::vector<std::string>
        reportFolders; // folders of the host's reports, relative to workingFolder; may contain * ? [ ]
    std::vector<LogFailure> failures; // this and the next only in the JSON for the agent
    std::vector<std::pair<std::string, std::string>> signs; // kinds and patterns of LogSign

    friend bool operator==(const HostPlan&, const HostPlan&) = default;
};

// A training that a dry run of the script recorded on a host.
struct RecordedLaunch {
    std::string host;
    std::string framework;
    std::string problem;                   // why no profiling settings would be added; "" = they are
    std::vector<std::string> argv;         // as the script starts it
    std::vector<std::string> profiledArgv; // with the additions
    std::vector<std::string> environment;  // NAME=value, added

    friend bool operator==(const RecordedLaunch&, const RecordedLaunch&) = default;
};

struct LaunchPlan {
    std::string session;
    Framework framework = Framework::plain;
    std::string schema;                 // era of the framework's recipe; "" = it has none
    std::vector<std::string> overrides; // Hydra overrides in the command, unquoted
    std::vector<int64_t> steps;         // all recorded steps
    // For a session with a script: what is added to the command that starts the training, as far as it does
    // not depend on that command.
    std::vector<std::string> addedWords;
    TextPairs addedEnvironment;
    std::vector<RecordedLaunch> launches; // of a dry run, if there was one
    std::vector<HostPlan> hosts;

    friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

// Computes the plan. Errors: invalid for a missing command, a duplicate host, an invalid variable name, a NUL
// or control character that is not allowed in a shell or file. The message begins with the path of the field.
Result<LaunchPlan> planLaunch(const SessionConfig& config, std::span<const HostFacts> facts);

// Returns the command in a form that can be pasted into a shell on the host: folder, environment and
// arguments, with line continuations.
std::string shellText(const HostPlan& host, const PlannedCommand& command);

// Returns the plan for one host as text that can be pasted into a shell: its commands, and as comments the
// files and the steps that only Check hosts and Launch perform.
std::string planText(const HostPlan& host);
// Returns the launches on a host as text that can be pasted into a shell, with a comment for each.
std::string launchText(const LaunchPlan& plan, std::string_view host);
// Returns the complete plan as text. The same plan always gives the same text.
std::string planText(const LaunchPlan& plan);
// Convert the plan for one host to JSON for the agent, and back. Errors: corrupt if the JSON is not such a
// plan.
std::string jsonFromHostPlan(const LaunchPlan& plan, const HostPlan& host);
Result<HostPlan> hostPlanFromJson(std::string_view text);
// Writes the plans for all hosts: {"lockstep_plan": 1, "session", "framework", "steps", "overrides", "hosts":
// [...]}.
std::string jsonFromPlan(const LaunchPlan& plan);

// Returns the folder on the hosts for the run's own files: WORKING_FOLDER/lockstep/NAME, or a relative path
// if the session has no working folder.
std::string runFolder(const SessionConfig& config);
// Returns the hosts. If the session has no hosts and is launched locally, returns only this machine.
std::vector<Host> plannedHosts(const SessionConfig& config);

} // namespace lockstep
