// SPDX-License-Identifier: Apache-2.0
// Preflight rules about what a host was asked for: folders, programs, names.
#include <algorithm>

#include "core/session/head_address.h"
#include "core/session/preflight_rules.h"

namespace lockstep {

namespace {

void checkPaths(const SessionConfig& config, const HostFacts& host, Findings& findings)
{
    const auto working = std::ranges::find(host.paths, config.workingFolder, &PathFacts::path);
    if (!config.workingFolder.empty() && working != host.paths.end() && !working->isFolder) {
        addFinding(findings, Severity::error, "working_folder", "host.working_folder",
                   config.workingFolder + (working->exists ? " is no folder on " : " is not there on ") +
                       host.host,
                   "make it, or name another");
        return; // what is relative to it is not there either
    }
    for (const PathFacts& path : host.paths) {
        if (path.path == config.workingFolder) continue;
        if (path.path == config.capture.library) {
            if (!path.exists || path.isFolder)
                addFinding(findings, Severity::error, "capture.library", "capture.library",
                           path.path + " is not there on " + host.host +
                               ": programs would go unrecorded without a word",
                           "leave it empty, and Lockstep puts its own there");
            continue;
        }
        const bool isScript = std::ranges::find(config.command, path.path) != config.command.end();
        if (isScript && !path.exists) {
            addFinding(findings, Severity::error, "command", "host.script",
                       path.path + " is not there on " + host.host, "copy it there, or mend working_folder");
        } else if (!isScript && (!path.isWritable || (path.exists && !path.isFolder))) {
            addFinding(findings, Severity::error, "save_path", "host.save_path",
                       path.path + " cannot be written on " + host.host +
                           ", so no report would be left there",
                       "name a folder that the run may write to");
        }
        if (!path.usedBy.empty()) {
            addFinding(findings, Severity::error, "save_path", "host.save_path_used",
                       "the run " + path.usedBy + " is writing its reports into " + path.path + " on " +
                           host.host + ": the reports of two runs cannot be told apart there",
                       "name another folder, or wait for the end of that run (lockstep --stop ends it)");
        }
    }
}

void checkPrograms(const HostFacts& host, Findings& findings)
{
    for (const ProgramFacts& program : host.programs) {
        if (program.word == "nsys") continue; // has a rule that says where it is
        if (program.path.empty()) {
            const bool isPath = program.word.find('/') != std::string::npos;
            addFinding(
                findings, Severity::error, "command", "host.program",
                program.word +
                    (isPath ? " is not there, or cannot be run, on " : " is on no folder of PATH on ") +
                    host.host,
                isPath ? "mend the path" : "install it, or set PATH in the session's environment");
        } else if (!program.interpreter.empty()) {
            addFinding(findings, Severity::error, "command", "host.interpreter",
                       program.path + " wants " + program.interpreter + ", which is not there on " +
                           host.host,
                       "mend its first line, or install it");
        }
    }
}

void checkHead(const RecipeInput& input, Findings& findings)
{
    if (!hostsMeetAtTheHead(input)) return;
    const std::string written = writtenHeadName(input.hosts), used = headAddress(input);
    if (used != written) {
        addFinding(findings, Severity::note, "hosts." + input.hosts[0].name, "host.head_address",
                   written + " is not what the other hosts find it by; they are given its address " + used,
                   "");
    }
    const std::vector<std::string> lost = hostsLosingTheHead(input);
    if (lost.empty()) return;
    addFinding(findings, Severity::error, "hosts." + input.hosts[0].name, "host.head_address",
               lost.front() + " does not resolve " + written + ", where the hosts are to meet",
               "give the first host an address that the others know");
}

} // namespace

void checkNeeds(const RecipeInput& input, Findings& findings)
{
    for (const HostFacts& host : input.facts) {
        checkPaths(input.config, host, findings);
        checkPrograms(host, findings);
    }
    checkHead(input, findings);
}

} // namespace lockstep
