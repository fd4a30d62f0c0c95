// SPDX-License-Identifier: Apache-2.0
// Preflight rules about host information and about the queried requirements of a run: folders, programs and
// host names.
#include <algorithm>
#include <limits>
#include <map>

#include "core/base/host_reference.h"
#include "core/base/text.h"
#include "core/session/expected_files.h"
#include "core/session/head_address.h"
#include "core/session/nsight_options.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

// If the clocks on two hosts differ by more than this, a note is added. Reports are then aligned by their
// collectives.
constexpr int64_t kClockTolerance_ns = 1'000'000;

// The commands run inside the session's container, or in the environment that its script sets up, but the
// probe ran outside, so software that the probe did not find may exist inside. In that case the findings
// become notes.
void addMissing(const RecipeInput& input, Findings& findings, const std::string& field, std::string rule,
                const std::string& reason, std::string fix)
{
    if (input.config.containerPrefix.empty() && input.config.script.empty()) {
        addFinding(findings, Severity::error, field, std::move(rule), reason, std::move(fix));
    } else if (input.config.containerPrefix.empty()) {
        addFinding(findings, Severity::note, field, std::move(rule),
                   reason + " on the host itself; the script may set up its own environment",
                   "make sure that the environment of the script has it");
    } else {
        addFinding(findings, Severity::note, field, std::move(rule),
                   reason + " on the host itself; the run uses its container",
                   "make sure that the container has it");
    }
}

void checkNsys(const RecipeInput& input, const HostFacts& host, const std::string& field, Findings& findings)
{
    if (input.config.tool != Tool::nsys || !host.nsys) return;
    const NsysFacts* nsys = nsysOnPath(host);
    if (nsys == nullptr) {
        const std::string found = host.nsys->empty()
                                      ? "install Nsight Systems, the same version on every host"
                                      : "nsys " + host.nsys->front().version + " is at " +
                                            host.nsys->front().path + ": add its folder to PATH";
        addMissing(input, findings, field, "host.nsys", "nsys is not on PATH", found);
    }
}

void checkSoftware(const RecipeInput& input, const HostFacts& host, const std::string& field,
                   Findings& findings)
{
    const SessionConfig& config = input.config;
    const Recipe& recipe = recipeFor(config.framework);
    if (!host.os.empty() && host.os.find("Linux") == std::string::npos) {
        addFinding(findings, Severity::error, field, "host.os",
                   host.os + " is not Linux; nsys under Ray works only on Linux");
    }
    if (recipe.usesRay && host.ray && host.ray->empty()) {
        addMissing(input, findings, field, "host.ray", "Ray not found",
                   "install it in the training environment");
    }
    if (recipe.usesRay && host.torch && host.torch->empty()) {
        addMissing(input, findings, field, "host.torch", "PyTorch not found",
                   "probe inside the training environment, or install it");
    }
    if (config.launcher.kind == LauncherKind::slurm && host.slurm && host.slurm->empty() &&
        host.host == config.launcher.loginNode) {
        addFinding(findings, Severity::error, "launcher.login_node", "host.slurm",
                   "sbatch not found on " + host.host, "set the login node of the cluster");
    }
}

void checkSize(const RecipeInput& input, const HostFacts& host, const std::string& field, Findings& findings)
{
    const auto requested = std::find_if(input.hosts.begin(), input.hosts.end(),
                                        [&](const Host& h) { return h.name == host.host; });
    if (requested != input.hosts.end() && requested->gpus && host.gpus &&
        *requested->gpus > static_cast<int64_t>(host.gpus->size())) {
        const auto count = static_cast<int64_t>(host.gpus->size());
        addFinding(findings, Severity::error, field, "host.gpus",
                   std::to_string(*requested->gpus) + (*requested->gpus == 1 ? " GPU" : " GPUs") +
                       " requested, " + std::to_string(count) + " available",
                   "use " + std::to_string(count), [name = host.host, count](SessionConfig& c) {
                       for (Host& one : c.hosts) {
                           if (one.name == name) one.gpus = count;
                       }
                   });
    }
    std::vector<std::pair<const DiskFacts*, int64_t>> needs;
    for (const ExpectedFile& file : forecastFiles(input.config, input.facts)) {
        if (file.host != host.host && !file.host.empty()) continue;
        const bool absolute = isAbsoluteOrHomePath(file.folder);
        const DiskFacts* disk =
            findDisk(host, absolute ? file.folder : input.config.workingFolder + "/" + file.folder);
        if (disk == nullptr) continue;
        const auto found =
            std::find_if(needs.begin(), needs.end(), [&](const auto& need) { return need.first == disk; });
        if (found == needs.end()) {
            needs.emplace_back(disk, file.totalSize_bytes());
        } else {
            found->second +=
                std::min(file.totalSize_bytes(), std::numeric_limits<int64_t>::max() - found->second);
        }
    }
    for (const auto& [disk, need_bytes] : needs) {
        if (need_bytes <= disk->free_bytes) continue;
        addFinding(findings, Severity::error, field, "host.disk",
                   "the expected reports need about " + byteText(need_bytes) + ", but " + disk->path +
                       " has " + byteText(disk->free_bytes) + " free",
                   "free disk space, record fewer ranks or steps, or choose another folder");
    }
}

// A run on this machine only has no other clock to compare with.
bool hasOtherClocks(const RecipeInput& input)
{
    return input.config.launcher.kind != LauncherKind::local || input.hosts.size() > 1;
}

void checkClock(const HostFacts& host, const std::string& field, Findings& findings)
{
    const int64_t tolerance_ns =
        kClockTolerance_ns + std::clamp<int64_t>(host.clockError_ns.value_or(0), 0, 1'000'000'000);
    const int64_t offset_ns = host.clockOffset_ns.value_or(0);
    if (offset_ns > tolerance_ns || offset_ns < -tolerance_ns) {
        addFinding(findings, Severity::note, field, "host.clock",
                   "the host's clock differs by " + durationText({offset_ns}) + " from this machine's",
                   "reports are aligned by their collectives; NTP or PTP makes that more reliable");
    } else if (host.clockSynchronized == false) {
        addFinding(findings, Severity::note, field, "host.clock",
                   "the host's clock is not synchronized by NTP or PTP",
                   "reports are aligned by their collectives");
    }
}

void checkVersions(const RecipeInput& input, Findings& findings)
{
    const HostFacts* first = nullptr;
    for (const HostFacts& host : input.facts) {
        const NsysFacts* nsys = nsysOnPath(host);
        if (nsys == nullptr) continue;
        if (first == nullptr) {
            first = &host;
        } else if (nsys->version != nsysOnPath(*first)->version && input.config.tool == Tool::nsys) {
            addFinding(findings, Severity::warning, "hosts." + host.host, "host.nsys_versions",
                       "nsys " + nsys->version + " here, " + nsysOnPath(*first)->version + " on " +
                           first->host,
                       "use one version; an older nsys cannot open the reports of a newer one");
        }
    }
}

bool isInjection(std::string_view name)
{
    return name == "CUDA_INJECTION64_PATH" || name == "NVTX_INJECTION64_PATH";
}

// Reports two host names that refer to the same machine, because its files would be found twice and its GPUs
// used twice.
void checkMachines(const RecipeInput& input, Findings& findings)
{
    std::map<std::string, std::vector<std::string>> names;
    for (const HostFacts& host : input.facts) {
        if (!host.machine.empty()) names[host.machine].push_back(host.host);
    }
    for (const auto& [machine, hosts] : names) {
        if (hosts.size() < 2) continue;
        std::string all;
        for (size_t i = 0; i < hosts.size(); ++i)
            all += (i == 0 ? "" : i + 1 == hosts.size() ? " and " : ", ") + hosts[i];
        addFinding(findings, Severity::warning, "hosts", "hosts.same_machine",
                   all + " are the same machine (same machine id, boot and process namespace)",
                   "list it once; files seen under both names are counted and collected once");
    }
}

} // namespace

void checkHosts(const RecipeInput& input, Findings& findings)
{
    for (const HostFacts& host : input.facts) {
        const std::string field = "hosts." + host.host;
        checkNsys(input, host, field, findings);
        checkSoftware(input, host, field, findings);
        checkSize(input, host, field, findings);
        if (hasOtherClocks(input)) checkClock(host, field, findings);
    }
    checkVersions(input, findings);
    checkMachines(input, findings);
    if (input.facts.empty()) return;
    for (const Host& host : input.hosts) {
        if (findHostFacts(input.facts, host.name) == nullptr) {
            addFinding(findings, Severity::note, "hosts." + host.name, "host.unknown",
                       "this host was not queried", "check the hosts");
        }
    }
}

void checkInjection(const RecipeInput& input, const LaunchPlan& plan, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool) return;
    const auto report = [&](const std::string& field, const std::string& name, const std::string& value) {
        addFinding(findings, Severity::error, field, "tool.injection",
                   name + "=" + value +
                       " loads another profiler into the process; only one can read CUDA activity",
                   "remove the variable");
    };
    for (const auto& [name, value] : config.environment) {
        const bool isOwn = config.tool == Tool::capture && value.ends_with("/liblockstep_capture.so");
        if (!isInjection(name) || value.starts_with("/nonexistent/") || isOwn) continue;
        addFinding(findings, Severity::error, "environment", "tool.injection",
                   name + "=" + value +
                       " loads another profiler into the process; only one can read CUDA activity",
                   "remove the variable", [key = name](SessionConfig& c) {
                       std::erase_if(c.environment, [&](const auto& pair) { return pair.first == key; });
                   });
    }
    for (const HostFacts& host : input.facts) {
        for (const auto& [name, value] : host.environment) {
            // Some frameworks unset the variable for torch. A plan may set the variable for Lockstep's own
            // tool.
            const LaunchRecipe* recipe = recipeFor(config.framework).data;
            const bool handled = config.tool == Tool::torch && recipe != nullptr &&
                                 std::ranges::find(recipe->unsets, name) != recipe->unsets.end();
            const bool replaced =
                std::any_of(plan.hosts.begin(), plan.hosts.end(), [&key = name](const HostPlan& one) {
                    return std::any_of(one.environment.begin(), one.environment.end(),
                                       [&](const auto& pair) { return pair.first == key; });
                });
            if (!isInjection(name) || handled) continue;
            if (!replaced) {
                report("hosts." + host.host, name, value);
            } else if (!value.ends_with("/liblockstep_capture.so")) {
                addFinding(findings, Severity::warning, "hosts." + host.host, "tool.injection_replaced",
                           host.host + " has " + name + "=" + value +
                               " set; this run replaces it with Lockstep's, so that profiler records nothing "
                               "of the run",
                           "");
            }
        }
    }
}

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
        const bool isScript = path.path == config.script ||
                              std::ranges::find(config.command, path.path) != config.command.end();
        if (isScript && !path.exists) {
            addFinding(findings, Severity::error, config.script.empty() ? "command" : "script", "host.script",
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
    if (!connectsToHead(input)) return;
    const std::string written = writtenHeadName(input.hosts), used = headAddress(input);
    if (used != written) {
        addFinding(findings, Severity::note, "hosts." + input.hosts[0].name, "host.head_address",
                   "the other hosts do not find this host as " + written + "; they get its address " + used,
                   "");
    }
    const std::vector<std::string> lost = hostsNotReachingHead(input);
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
