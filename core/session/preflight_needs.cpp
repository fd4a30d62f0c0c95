// SPDX-License-Identifier: Apache-2.0
// Preflight rules about the queried requirements of a run: folders, programs and host names.
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
                   config.workingFolder + (working->exists ? " is not a folder on " : " does not exist on ") +
                       host.host,
                   "create it, or choose another folder");
        return; // paths relative to this folder do not exist either
    }
    for (const PathFacts& path : host.paths) {
        if (path.path == config.workingFolder) continue;
        if (path.path == config.capture.library) {
            if (!path.exists || path.isFolder)
                addFinding(findings, Severity::error, "capture.library", "capture.library",
                           path.path + " does not exist on " + host.host +
                               "; programs would silently record nothing",
                           "leave it empty to let Lockstep install its own");
            continue;
        }
        const bool isScript = std::ranges::find(config.command, path.path) != config.command.end();
        if (isScript && !path.exists) {
            addFinding(findings, Severity::error, "command", "host.script",
                       path.path + " does not exist on " + host.host,
                       "copy it there, or correct working_folder");
        } else if (!isScript && (!path.isWritable || (path.exists && !path.isFolder))) {
            addFinding(findings, Severity::error, "save_path", "host.save_path",
                       path.path + " is not writable on " + host.host + ", so no report can be saved there",
                       "choose a folder that the run can write to");
        }
        if (!path.usedBy.empty()) {
            addFinding(findings, Severity::error, "save_path", "host.save_path_used",
                       "run " + path.usedBy + " is writing its reports to " + path.path + " on " + host.host +
                           "; the reports of two runs cannot be distinguished there",
                       "choose another folder, or wait until that run ends (lockstep --stop ends it)");
        }
    }
}

void checkPrograms(const HostFacts& host, Findings& findings)
{
    for (const ProgramFacts& program : host.programs) {
        if (program.word == "nsys") continue; // nsys has its own rule, which also reports the path
        if (program.path.empty()) {
            const bool isPath = program.word.find('/') != std::string::npos;
            addFinding(findings, Severity::error, "command", "host.program",
                       program.word +
                           (isPath ? " does not exist or is not executable on " : " is not on PATH on ") +
                           host.host,
                       isPath ? "correct the path" : "install it, or set PATH in the session's environment");
        } else if (!program.interpreter.empty()) {
            addFinding(findings, Severity::error, "command", "host.interpreter",
                       program.path + " needs " + program.interpreter + ", which does not exist on " +
                           host.host,
                       "correct its first line, or install the interpreter");
        }
    }
}

void checkHead(const RecipeInput& input, Findings& findings)
{
    if (!hostsMeetAtTheHead(input)) return;
    const std::string written = writtenHeadName(input.hosts), used = headAddress(input);
    if (used != written) {
        addFinding(findings, Severity::note, "hosts." + input.hosts[0].name, "host.head_address",
                   "the other hosts do not find this host as " + written + "; they get its address " + used,
                   "");
    }
    const std::vector<std::string> lost = hostsLosingTheHead(input);
    if (lost.empty()) return;
    addFinding(findings, Severity::error, "hosts." + input.hosts[0].name, "host.head_address",
               lost.front() + " cannot resolve " + written + ", the address at which the hosts meet",
               "give the first host an address that the others can resolve");
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
