// SPDX-License-Identifier: Apache-2.0
// LaunchPlan: everything a run will write and start, per host, before any of it happens. Made by
// planLaunch(), printed for people, carried to the hosts as JSON for `lockstep-agent run --plan`. Pure
// values; any thread.
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
    std::string path; // on the host
    std::string content;
    bool isExecutable = false;

    friend bool operator==(const PlannedFile&, const PlannedFile&) = default;
};

struct PlannedCommand {
    int order = 1;       // over all hosts: a command starts after those of lower order have done their part
    std::string purpose; // for people: "start Ray", "train"
    std::vector<std::string> argv;

    friend bool operator==(const PlannedCommand&, const PlannedCommand&) = default;
};

struct HostPlan {
    std::string host;
    std::string address;              // what ssh is given; "" = this machine
    std::string agentFolder;          // see Host::agentFolder
    std::string captureLibrary;       // where Lockstep puts its capture library; "" = nowhere. "~/...": the
                                      // host was not asked yet, and a plan with it cannot be started
    std::string workingFolder;        // entered before every command; "" = wherever the shell begins
    TextPairs environment;            // set for every command; without secrets
    std::vector<std::string> secrets; // names of variables whose values are handed over when the run starts
    bool exchangesClocks = false;     // with the other hosts of the run, over UDP
    std::vector<PlannedFile> files;
    std::vector<PlannedCommand> commands;
    std::vector<std::string>
        reportFolders; // where its reports may appear; relative to workingFolder, * ? [ ] allowed

    friend bool operator==(const HostPlan&, const HostPlan&) = default;
};

struct LaunchPlan {
    std::string session;
    Framework framework = Framework::plain;
    std::optional<VerlSchema> schema;   // verl and VeRL-Omni
    std::vector<std::string> overrides; // Hydra's, unquoted, as they stand in the command
    std::vector<int64_t> steps;         // every step that is recorded, expanded
    std::vector<HostPlan> hosts;

    friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

// invalid: no command, a host twice, a name that cannot be an environment variable, NUL or a control
// character where no shell or file can carry it, steps NeMo RL cannot take; the message begins with the
// field's path.
Result<LaunchPlan> planLaunch(const SessionConfig& config, std::span<const HostFacts> facts);

// The command as one pastes it into a shell on that host: folder, environment, words, with line
// continuations.
std::string shellText(const HostPlan& host, const PlannedCommand& command);

// What Lockstep puts on the host before its commands, as comment lines; "" where nothing.
std::string libraryText(const HostPlan& host);
// The whole plan for people: stable, the same plan gives the same text.
std::string planText(const LaunchPlan& plan);
// One host's part as JSON for the agent, and back. corrupt: not that JSON.
std::string jsonFromHostPlan(const LaunchPlan& plan, const HostPlan& host);
Result<HostPlan> hostPlanFromJson(std::string_view text);
// All hosts: {"lockstep_plan": 1, "session", "framework", "steps", "overrides", "hosts": [...]}.
std::string jsonFromPlan(const LaunchPlan& plan);

// Folder on the hosts for what a run writes itself: WORKING_FOLDER/lockstep/NAME, relative where the session
// gives none.
std::string runFolder(const SessionConfig& config);
// The hosts, or this machine alone when the session names none and is launched here.
std::vector<Host> plannedHosts(const SessionConfig& config);

} // namespace lockstep
