// SPDX-License-Identifier: Apache-2.0
// Preflight rules about host facts.
#include <algorithm>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/session/expected_files.h"
#include "core/session/nsight_options.h"
#include "core/session/preflight_rules.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

// Clocks of two hosts that differ by more are worth a word; reports are then fitted by collectives.
constexpr int64_t kClockTolerance_ns = 1'000'000;

bool lacksModule(const HostFacts& host, std::string_view module)
{
    return host.modules &&
           std::find(host.modules->begin(), host.modules->end(), module) == host.modules->end();
}

// The commands run inside the session's container, and the probe looked outside it: what it did not find
// there says little about what the run will find.
void addMissing(const RecipeInput& input, Findings& findings, const std::string& field, std::string rule,
                const std::string& reason, std::string fix)
{
    if (input.config.containerPrefix.empty()) {
        addFinding(findings, Severity::error, field, std::move(rule), reason, std::move(fix));
    } else {
        addFinding(findings, Severity::note, field, std::move(rule),
                   reason + " on the host itself; the run looks inside its container",
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
                                      : "nsys " + host.nsys->front().version + " is in " +
                                            host.nsys->front().path + ": put its folder on PATH";
        addMissing(input, findings, field, "host.nsys", "nsys is not on PATH", found);
    }
    if (isVerlFamily(input.config.framework) && lacksModule(host, "nvtx")) {
        addMissing(input, findings, field, "host.nvtx",
                   "the Python module nvtx, which verl needs for nsys, is not found",
                   "pip install nvtx in the training environment");
    }
}

void checkSoftware(const RecipeInput& input, const HostFacts& host, const std::string& field,
                   Findings& findings)
{
    const SessionConfig& config = input.config;
    const Recipe& recipe = recipeFor(config.framework);
    if (!host.os.empty() && host.os.find("Linux") == std::string::npos) {
        addFinding(findings, Severity::error, field, "host.os",
                   host.os + " is no Linux; nsys under Ray works on Linux only");
    }
    if (recipe.usesRay && host.ray && host.ray->empty()) {
        addMissing(input, findings, field, "host.ray", "Ray is not found",
                   "install it in the training environment");
    }
    if (isVerlFamily(config.framework) && host.torch && host.torch->empty()) {
        addMissing(input, findings, field, "host.torch", "PyTorch is not found",
                   "probe inside the training environment, or install it");
    }
    if (config.launcher.kind == LauncherKind::slurm && host.slurm && host.slurm->empty() &&
        host.host == config.launcher.loginNode) {
        addFinding(findings, Severity::error, "launcher.login_node", "host.slurm",
                   "sbatch is not found on " + host.host, "name the login node of the cluster");
    }
}

void checkSize(const RecipeInput& input, const HostFacts& host, const std::string& field, Findings& findings)
{
    const auto wanted = std::find_if(input.hosts.begin(), input.hosts.end(),
                                     [&](const Host& h) { return h.name == host.host; });
    if (wanted != input.hosts.end() && wanted->gpus && host.gpus &&
        *wanted->gpus > static_cast<int64_t>(host.gpus->size())) {
        const auto count = static_cast<int64_t>(host.gpus->size());
        addFinding(findings, Severity::error, field, "host.gpus",
                   std::to_string(*wanted->gpus) + " GPUs are asked for, " + std::to_string(count) +
                       " are there",
                   "use " + std::to_string(count), [name = host.host, count](SessionConfig& c) {
                       for (Host& one : c.hosts) {
                           if (one.name == name) one.gpus = count;
                       }
                   });
    }
    std::vector<std::pair<const DiskFacts*, int64_t>> needs;
    for (const ExpectedFile& file : forecastFiles(input.config, input.facts)) {
        if (file.host != host.host && !file.host.empty()) continue;
        const bool absolute = file.folder.starts_with('/');
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
                   "reports of about " + byteText(need_bytes) + " are expected and " + disk->path + " has " +
                       byteText(disk->free_bytes) + " free",
                   "free space, record fewer ranks or steps, or write elsewhere");
    }
}

void checkClock(const HostFacts& host, const std::string& field, Findings& findings)
{
    const int64_t tolerance_ns =
        kClockTolerance_ns + std::clamp<int64_t>(host.clockError_ns.value_or(0), 0, 1'000'000'000);
    const int64_t offset_ns = host.clockOffset_ns.value_or(0);
    if (offset_ns > tolerance_ns || offset_ns < -tolerance_ns) {
        addFinding(findings, Severity::note, field, "host.clock",
                   "its clock differs by " + durationText({offset_ns}) + " from this machine's",
                   "reports are fitted by their collectives; NTP or PTP makes the fit easier");
    } else if (host.clockSynchronized == false) {
        addFinding(findings, Severity::note, field, "host.clock", "its clock is not kept by NTP or PTP",
                   "reports are fitted by their collectives");
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
                       "use one version: an older one cannot open the newer one's reports");
        }
    }
}

bool isInjection(std::string_view name)
{
    return name == "CUDA_INJECTION64_PATH" || name == "NVTX_INJECTION64_PATH";
}

// Two names of one machine: its files would be seen twice and its GPUs asked for twice.
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
                   all + " are one machine (machine id, boot and processes are the same)",
                   "name it once; what both names see is counted and collected once");
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
        checkClock(host, field, findings);
    }
    checkVersions(input, findings);
    checkMachines(input, findings);
    if (input.facts.empty()) return;
    for (const Host& host : input.hosts) {
        if (findHostFacts(input.facts, host.name) == nullptr) {
            addFinding(findings, Severity::note, "hosts." + host.name, "host.unknown",
                       "this host was not looked at", "check the hosts");
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
                       " loads another profiler into the process: only one can read CUDA's activity",
                   "leave the variable out");
    };
    for (const auto& [name, value] : config.environment) {
        const bool isOwn = config.tool == Tool::capture && value.ends_with("/liblockstep_capture.so");
        if (!isInjection(name) || value.starts_with("/nonexistent/") || isOwn) continue;
        addFinding(findings, Severity::error, "environment", "tool.injection",
                   name + "=" + value +
                       " loads another profiler into the process: only one can read CUDA's activity",
                   "leave the variable out", [key = name](SessionConfig& c) {
                       std::erase_if(c.environment, [&](const auto& pair) { return pair.first == key; });
                   });
    }
    for (const HostFacts& host : input.facts) {
        for (const auto& [name, value] : host.environment) {
            // verl switches NVTX_INJECTION64_PATH off by itself for torch; a plan may set it for Lockstep's
            // own tool.
            const bool handled = name == "NVTX_INJECTION64_PATH" && config.tool == Tool::torch &&
                                 isVerlFamily(config.framework);
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
                               " set: for this run it is replaced by Lockstep's, and that profiler records "
                               "nothing of it",
                           "");
            }
        }
    }
}

} // namespace lockstep
