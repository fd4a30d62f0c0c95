// SPDX-License-Identifier: Apache-2.0
// Preflight rules of Lockstep's own capture: what would keep it from recording, or from recording what one
// may expect.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/verl_settings.h"

namespace lockstep {

namespace {

// What liblockstep_capture.so stands on; tests/capture/capture_exports_test.cpp holds it to that.
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
                       "' is no capture range: it must be cudaProfilerApi, nvtx:NAME[@DOMAIN] or all",
                   "let the plan choose", [](SessionConfig& c) { c.capture.range.clear(); });
    }
    const bool isOff = !config.capture.cuda.value_or(true);
    if (isOff && captureRange(config) == "cudaProfilerApi") {
        addFinding(findings, Severity::error, "capture.cuda", "capture.cuda_range",
                   "without CUDA nobody hears cudaProfilerStart, so nothing is recorded",
                   "record the steps by their ranges' names",
                   [](SessionConfig& c) { c.capture.range = "all"; });
    }
    for (const int64_t rank : config.capture.ranks.value_or(std::vector<int64_t>())) {
        const auto world = knownWorldSize(config);
        if (rank >= 0 && (!world || rank < *world)) continue;
        addFinding(findings, Severity::error, "capture.ranks", "capture.ranks",
                   "there is no rank " + std::to_string(rank) +
                       (world ? ": they are 0 to " + std::to_string(*world - 1) : std::string()),
                   "take it out", [rank](SessionConfig& c) { std::erase(*c.capture.ranks, rank); });
    }
}

// What has to happen in the program for a step to be seen.
void checkCaptureSteps(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const auto stepsAre = captureStepsAre(config);
    if (stepsAre == CaptureSteps::names) {
        const bool isRay = recipeFor(config.framework).usesRay;
        addFinding(
            findings, isRay ? Severity::warning : Severity::note, "steps", "capture.step_names",
            std::string(isRay ? "workers on Ray are not told the step: they"
                              : "the program itself must say its steps: it") +
                " must open NVTX ranges like \"step 3\", or call lockstep_capture.step(3); without them "
                "nothing is recorded",
            "leave the steps empty to record everything", [](SessionConfig& c) { c.steps.reset(); });
    } else if (stepsAre == CaptureSteps::ordinals) {
        addFinding(findings, Severity::note, "steps", "capture.step_ordinals",
                   "the n-th range that a process opens is taken for step n", "");
    }
    if (config.discrete.value_or(false)) {
        addFinding(
            findings, Severity::note, "discrete", "capture.discrete",
            "how many stages a step has only the run will tell: one report a step and rank is waited for, "
            "further ones are collected as they come",
            "");
    }
}

// The library has to be where the processes look for it.
void checkCaptureLibrary(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const std::string& library = config.capture.library;
    const auto add = [&](Severity severity, const std::string& reason, const std::string& fix) {
        addFinding(findings, severity, "capture.library", "capture.library", reason, fix);
    };
    if (!library.empty()) {
        if (!library.starts_with('/'))
            add(Severity::error,
                "'" + library +
                    "' is no full path: each process would look for it from its own "
                    "folder, and go unrecorded without a word",
                "write it from /");
        return;
    }
    if (!config.containerPrefix.empty()) {
        add(Severity::error, "what Lockstep puts on the host is not seen inside the container",
            "name the path of liblockstep_capture.so in there");
        return;
    }
    if (config.launcher.kind == LauncherKind::rayJob) {
        add(Severity::warning,
            "Lockstep puts its library on the host that submits the job; workers on others find it only where they "
            "see the same home folder, and go unrecorded without a word elsewhere",
            "name a path that all nodes of the cluster have");
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
                "it was not put on " + host.host + ": liblockstep_capture.so is not beside this lockstep",
                "build it, or name its path on the hosts");
    }
    if (!isAsked) {
        add(Severity::note,
            "Lockstep puts its library on each host when the hosts are asked, before the launch; its "
            "place is known then",
            "");
    }
    const auto other = std::ranges::find_if(
        places, [&](const auto& place) { return place.second != places.front().second; });
    if (recipeFor(config.framework).usesRay && other != places.end()) {
        add(Severity::error,
            "Ray gives all workers one path, and it is " + places.front().second + " on " +
                places.front().first + " but " + other->second + " on " + other->first,
            "give the hosts one agent_folder, or name a path that all have");
    }
}

// "2.9" is before "2.31".
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
    // What the run looks at inside its container, the probe has not seen.
    const bool isInside = config.containerPrefix.empty();
    if (isInside && host.libc == "musl") {
        addFinding(findings, Severity::error, field, "capture.libc",
                   host.host + " has musl's C library: liblockstep_capture.so needs glibc " +
                       std::string(kNeededGlibc) + " or later, and programs there cannot load it",
                   "run in a container with glibc, or record with another tool");
    } else if (isInside && !host.glibc.empty() && isOlder(host.glibc, kNeededGlibc)) {
        addFinding(findings, Severity::error, field, "capture.libc",
                   host.host + " has glibc " + host.glibc + ": liblockstep_capture.so needs " +
                       std::string(kNeededGlibc) + " or later, and programs there cannot load it",
                   "run in a container with a later one, or record with another tool");
    }
    const bool hasGpus = !host.gpus || !host.gpus->empty(); // or it is not known
    if (config.capture.cuda.value_or(true) && hasGpus && host.cupti && host.cupti->empty()) {
        addFinding(findings, Severity::warning, field, "host.cupti",
                   "no CUPTI library is found on " + host.host +
                       ": ranges are recorded, kernels are not unless the program brings one",
                   "install the CUDA toolkit or a PyTorch that brings CUPTI, or turn CUDA off",
                   [](SessionConfig& c) { c.capture.cuda = false; });
    }
}

// Relative to each worker's own folder, or not handed to the workers at all.
void checkCaptureUnderRay(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!recipeFor(config.framework).usesRay) return;
    const std::string folder = captureFolder(config);
    if (!folder.starts_with('/')) {
        addFinding(findings, Severity::error, "save_path", "capture.relative",
                   "'" + folder + "' is relative to the folder of each worker process, where nobody looks",
                   "write it from /, or give a working_folder");
    }
    const bool isHandedOn =
        !isVerlFamily(config.framework) || trainerOf(config) == VerlTrainer::sft || !isOldVerl(input.schema);
    if (!isHandedOn && !config.launcher.startRay.value_or(false)) {
        addFinding(
            findings, Severity::warning, "launcher.start_ray", "capture.ray_environment",
            "this verl hands no variables to its workers: a Ray that runs already must have been started with "
            "them, or nothing is recorded",
            "let the plan start Ray", [](SessionConfig& c) { c.launcher.startRay = true; });
    }
}

void checkOtherProfiler(const SessionConfig& config, Findings& findings)
{
    const auto word = toolElsewhere(config);
    if (!word) return;
    addFinding(findings, Severity::error, "tool", "capture.other_profiler",
               *word + " starts another profiler in the same processes: only one can read CUDA's activity",
               "take it out", [word = *word](SessionConfig& c) {
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
