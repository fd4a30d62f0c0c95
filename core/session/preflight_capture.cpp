// SPDX-License-Identifier: Apache-2.0
// Preflight rules for Lockstep capture: conditions that prevent it from recording, or from recording what the
// user may expect.
#include <algorithm>

#include "core/base/home_path.h"
#include "core/base/text.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/verl_settings.h"

namespace lockstep {

namespace {

// The glibc version that liblockstep_capture.so requires; tests/capture/capture_exports_test.cpp verifies it.
constexpr std::string_view kNeededGlibc = "2.31";

bool isCaptureRange(std::string_view range)
{
    if (range == "cudaProfilerApi" || range == "all") return true;
    if (!range.starts_with("nvtx:")) return false;
    const std::string_view name = range.substr(5);
    return !name.empty() && name.front() != '@' && name.back() != '@' && name != "*";
}

void checkCaptureFields(const SessionConfig& config, Findings& findings)
{
    const std::string& range = config.capture.range;
    if (!range.empty() && !isCaptureRange(range)) {
        addFinding(findings, Severity::error, "capture.range", "capture.range",
                   "'" + range +
                       "' is not a valid capture range: use cudaProfilerApi, nvtx:NAME[@DOMAIN] or all",
                   "let the plan choose", [](SessionConfig& c) { c.capture.range.clear(); });
    }
    const bool isOff = !config.capture.cuda.value_or(true);
    if (isOff && captureRange(config) == "cudaProfilerApi") {
        addFinding(findings, Severity::error, "capture.cuda", "capture.cuda_range",
                   "without CUDA, cudaProfilerStart has no effect, so nothing is recorded",
                   "select the steps by range name", [](SessionConfig& c) { c.capture.range = "all"; });
    }
    for (const int64_t rank : config.capture.ranks.value_or(std::vector<int64_t>())) {
        const auto world = knownWorldSize(config);
        if (rank >= 0 && (!world || rank < *world)) continue;
        addFinding(findings, Severity::error, "capture.ranks", "capture.ranks",
                   "rank " + std::to_string(rank) + " does not exist" +
                       (world ? ": the run has ranks 0 to " + std::to_string(*world - 1) : std::string()),
                   "remove it", [rank](SessionConfig& c) { std::erase(*c.capture.ranks, rank); });
    }
}

// Explains what the program must do so that its steps are recognized.
void checkCaptureSteps(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const auto stepsAre = captureStepsAre(config);
    if (stepsAre == CaptureSteps::names) {
        const bool isRay = recipeFor(config.framework).usesRay;
        addFinding(findings, isRay ? Severity::warning : Severity::note, "steps", "capture.step_names",
                   std::string(isRay ? "Ray workers do not know the step: they"
                                     : "the program must mark its steps: it") +
                       " must open NVTX ranges like \"step 3\" or call lockstep_capture.step(3); otherwise "
                       "nothing is recorded",
                   "leave the steps empty to record everything", [](SessionConfig& c) { c.steps.reset(); });
    } else if (stepsAre == CaptureSteps::ordinals) {
        addFinding(findings, Severity::note, "steps", "capture.step_ordinals",
                   "the n-th range that a process opens counts as step n", "");
    }
    if (config.discrete.value_or(false)) {
        addFinding(
            findings, Severity::note, "discrete", "capture.discrete",
            "the number of stages per step is known only during the run: one report per step and rank is "
            "expected, further ones are collected as they appear",
            "");
    }
}

// Checks that the processes will find the library at the planned path.
void checkCaptureLibrary(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const std::string& library = config.capture.library;
    const auto add = [&](Severity severity, const std::string& reason, const std::string& fix) {
        addFinding(findings, severity, "capture.library", "capture.library", reason, fix);
    };
    if (!library.empty()) {
        if (!isPlacedPath(library))
            add(Severity::error,
                "'" + library +
                    "' is not an absolute path: each process would resolve it against its own "
                    "folder and silently record nothing",
                "use an absolute path");
        return;
    }
    if (!config.containerPrefix.empty()) {
        add(Severity::error,
            "the library that Lockstep installs on the host is not visible inside the container",
            "set the path of liblockstep_capture.so inside the container");
        return;
    }
    if (config.launcher.kind == LauncherKind::rayJob) {
        add(Severity::warning,
            "Lockstep installs its library on the host that submits the job; workers on other hosts find it only if "
            "they share the home folder, else they silently record nothing",
            "set a path that exists on all nodes of the cluster");
    }
    std::vector<std::pair<std::string, std::string>> places; // host, path
    bool isAsked = !input.facts.empty();
    for (const HostFacts& host : input.facts) {
        isAsked = isAsked && host.captureLibrary;
        if (!host.captureLibrary) continue;
        if (!host.captureLibrary->empty())
            places.emplace_back(host.host, *host.captureLibrary);
        else
            add(Severity::error,
                "not installed on " + host.host +
                    ": liblockstep_capture.so was not found next to this lockstep",
                "build the library, or set its path on the hosts");
    }
    if (!isAsked) {
        add(Severity::note,
            "Lockstep installs its library on each host when it queries the hosts before the launch; "
            "the path is known then",
            "");
    }
    const auto other = std::ranges::find_if(
        places, [&](const auto& place) { return place.second != places.front().second; });
    if (recipeFor(config.framework).usesRay && other != places.end()) {
        add(Severity::error,
            "Ray gives all workers one path, but the library is " + places.front().second + " on " +
                places.front().first + " and " + other->second + " on " + other->first,
            "give all hosts the same agent_folder, or set a path that exists on all of them");
    }
}

// Compares versions numerically: "2.9" is older than "2.31".
bool isOlder(std::string_view version, std::string_view needed)
{
    const auto parts = [](std::string_view text) {
        const size_t dot = std::min(text.find('.'), text.size());
        const std::string_view rest = text.substr(std::min(dot + 1, text.size()));
        const std::string_view minor = rest.substr(0, rest.find_first_not_of("0123456789"));
        return std::pair(parseInt(text.substr(0, dot)).value_or(0), parseInt(minor).value_or(0));
    };
    return parts(version) < parts(needed);
}

void checkCaptureHost(const RecipeInput& input, const HostFacts& host, Findings& findings)
{
    const SessionConfig& config = input.config;
    const std::string field = "hosts." + host.host;
    // The probe cannot see inside the run's container.
    const bool isInside = config.containerPrefix.empty();
    if (isInside && host.libc == "musl") {
        addFinding(findings, Severity::error, field, "capture.libc",
                   host.host + " uses musl: liblockstep_capture.so needs glibc " + std::string(kNeededGlibc) +
                       " or newer, so programs there cannot load it",
                   "run in a container with glibc, or record with another tool");
    } else if (isInside && !host.glibc.empty() && isOlder(host.glibc, kNeededGlibc)) {
        addFinding(findings, Severity::error, field, "capture.libc",
                   host.host + " has glibc " + host.glibc + ": liblockstep_capture.so needs " +
                       std::string(kNeededGlibc) + " or newer, so programs there cannot load it",
                   "run in a container with a newer glibc, or record with another tool");
    }
    const bool hasGpus = !host.gpus || !host.gpus->empty(); // true if it is unknown whether the host has GPUs
    if (config.capture.cuda.value_or(true) && hasGpus && host.cupti && host.cupti->empty()) {
        addFinding(findings, Severity::warning, field, "host.cupti",
                   "no CUPTI library found on " + host.host +
                       ": ranges are recorded, but kernels only if the program brings a CUPTI",
                   "install the CUDA toolkit or a PyTorch that includes CUPTI, or turn CUDA off",
                   [](SessionConfig& c) { c.capture.cuda = false; });
    }
}

// Reports folders that are relative to each worker's own folder, and variables that are not passed to the
// workers.
void checkCaptureUnderRay(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!recipeFor(config.framework).usesRay) return;
    const std::string folder = captureFolder(config);
    if (!isPlacedPath(folder)) {
        addFinding(findings, Severity::error, "save_path", "capture.relative",
                   "'" + folder +
                       "' is relative to the folder of each worker process, where Lockstep does not search",
                   "use an absolute path, or set working_folder");
    }
    const bool isHandedOn =
        !isVerlFamily(config.framework) || trainerOf(config) == VerlTrainer::sft || !isOldVerl(input.schema);
    if (!isHandedOn && !config.launcher.startRay.value_or(false)) {
        addFinding(
            findings, Severity::warning, "launcher.start_ray", "capture.ray_environment",
            "this verl release passes no variables to its workers: a running Ray must have been started with "
            "them, or nothing is recorded",
            "let the plan start Ray", [](SessionConfig& c) { c.launcher.startRay = true; });
    }
}

void checkOtherProfiler(const SessionConfig& config, Findings& findings)
{
    const auto word = toolFromArguments(config);
    if (!word) return;
    addFinding(findings, Severity::error, "tool", "capture.other_profiler",
               *word + " starts another profiler in the same processes; only one can read CUDA activity",
               "remove it", [word = *word](SessionConfig& c) {
                   std::erase(c.otherOverrides, word);
                   std::erase(c.command, word);
                   std::erase_if(c.environment,
                                 [&](const auto& pair) { return pair.first + "=" + pair.second == word; });
               });
}

} // namespace

void checkCapture(const RecipeInput& input, Findings& findings)
{
    if (input.config.tool != Tool::capture) return;
    checkCaptureFields(input.config, findings);
    checkCaptureSteps(input, findings);
    checkCaptureLibrary(input, findings);
    checkCaptureUnderRay(input, findings);
    checkOtherProfiler(input.config, findings);
    for (const HostFacts& host : input.facts)
        checkCaptureHost(input, host, findings);
}

} // namespace lockstep
