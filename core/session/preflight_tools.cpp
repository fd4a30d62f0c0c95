// SPDX-License-Identifier: Apache-2.0
// Preflight rules for the tools: Lockstep capture, torch.profiler, memory snapshots, and the Ascend tools
// (the NPU profiler and msprobe's precision debugger).
#include <algorithm>

#include "core/base/host_reference.h"
#include "core/base/text.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/typed_value.h"

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
        if (!isAbsoluteOrHomePath(library))
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
    bool isQueried = !input.facts.empty();
    for (const HostFacts& host : input.facts) {
        isQueried = isQueried && host.captureLibrary;
        if (!host.captureLibrary) continue;
        if (!host.captureLibrary->empty())
            places.emplace_back(host.host, *host.captureLibrary);
        else
            add(Severity::error,
                "not installed on " + host.host +
                    ": liblockstep_capture.so was not found next to this lockstep",
                "build the library, or set its path on the hosts");
    }
    if (!isQueried) {
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
    if (!isAbsoluteOrHomePath(folder)) {
        addFinding(findings, Severity::error, "save_path", "capture.relative",
                   "'" + folder +
                       "' is relative to the folder of each worker process, where Lockstep does not search",
                   "use an absolute path, or set working_folder");
    }
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    const bool isPassedOn =
        recipe == nullptr || recipe->workers.empty() ||
        recipe->destination(recipe->workers, input.era, entryOfCommand(*recipe, config.command)) != nullptr;
    if (!isPassedOn && !config.launcher.startRay.value_or(false)) {
        addFinding(
            findings, Severity::warning, "launcher.start_ray", "capture.ray_environment",
            "this release passes no variables to its workers: a running Ray must have been started with them, or nothing is recorded",
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

namespace {

constexpr std::array<std::string_view, 5> kTorchContents{"cuda", "cpu", "memory", "shapes", "stack"};

TorchOptions& torchAt(SessionConfig& config, std::optional<Role> role)
{
    return role ? config.role(*role).torch : config.torch;
}

void checkContents(const TorchOptions& torch, std::optional<Role> role, const std::string& path,
                   Findings& findings)
{
    if (!torch.contents) return;
    const std::vector<std::string>& words = *torch.contents;
    for (const std::string& word : words) {
        if (std::find(kTorchContents.begin(), kTorchContents.end(), word) != kTorchContents.end()) continue;
        addFinding(findings, Severity::error, path + "contents", "torch.contents",
                   "'" + word + "' is not " + choiceText(kTorchContents), "remove it",
                   [role, word](SessionConfig& c) { std::erase(*torchAt(c, role).contents, word); });
    }
    const bool has = std::find(words.begin(), words.end(), "cuda") != words.end();
    if (words.empty()) {
        addFinding(findings, Severity::note, path + "contents", "torch.contents_empty",
                   "with empty contents, CPU and GPU rows are recorded, but no stacks, shapes or memory", "");
    } else if (!has) {
        addFinding(findings, Severity::warning, path + "contents", "torch.no_gpu",
                   "no GPU rows are recorded unless the contents include cuda", "add cuda",
                   [role](SessionConfig& c) {
                       torchAt(c, role).contents->insert(torchAt(c, role).contents->begin(), "cuda");
                   });
    }
}

void checkSchedule(const TorchOptions& torch, const std::string& path, Findings& findings)
{
    const TorchSchedule& schedule = torch.schedule;
    if (schedule == TorchSchedule{}) return;
    for (const auto& value :
         {schedule.skipFirst, schedule.wait, schedule.warmup, schedule.active, schedule.repeat}) {
        if (value.value_or(0) < 0) {
            addFinding(findings, Severity::error, path + "schedule", "torch.schedule_negative",
                       "the numbers of a schedule count mini-batches and must not be negative",
                       "use 0 or more");
            break;
        }
    }
    if (schedule.active.value_or(0) == 0) {
        addFinding(findings, Severity::warning, path + "schedule.active", "torch.schedule_off",
                   "the schedule has no effect because active is 0",
                   "set the number of mini-batches to record");
    }
}

void checkTokens(const TorchOptions& torch, const std::string& path, Findings& findings)
{
    if (!torch.tokenStart && !torch.tokenEnd) return;
    const int64_t start = torch.tokenStart.value_or(0);
    if (start < 0 || (torch.tokenEnd && *torch.tokenEnd <= start)) {
        addFinding(findings, Severity::error, path + "profile_token_end", "torch.tokens",
                   "the token window is empty: its start must be 0 or more, and its end after its start",
                   "raise the end");
    }
}

void checkMiniBatches(const TorchOptions& torch, const std::string& path, Findings& findings)
{
    const bool isEmpty =
        torch.stepStart.value_or(0) < 0 || (torch.stepEnd && *torch.stepEnd <= torch.stepStart.value_or(0));
    if (!isEmpty) return;
    addFinding(findings, Severity::error, path + "step_end", "torch.step_range",
               "the range of mini-batches is empty: its start must be 0 or more, and its end after its start",
               "raise the end");
}

void checkOne(const RecipeInput& input, std::optional<Role> role, Findings& findings)
{
    const TorchOptions& torch = role ? input.config.role(*role).torch : input.config.torch;
    const std::string path = role ? "roles." + std::string(enumName(*role)) + ".torch." : "torch.";
    checkContents(torch, role, path, findings);
    checkSchedule(torch, path, findings);
    checkTokens(torch, path, findings);
    checkMiniBatches(torch, path, findings);
}

void checkPositive(const TorchMemoryOptions& memory, std::string field,
                   const std::function<TorchMemoryOptions&(SessionConfig&)>& memoryOf, Findings& findings)
{
    if (memory.maxEntries.value_or(1) >= 1 && memory.stackDepth.value_or(1) >= 1) return;
    addFinding(findings, Severity::error, std::move(field), "torch_memory.positive",
               "entries and stack depth must be 1 or more", "raise them", [memoryOf](SessionConfig& c) {
                   TorchMemoryOptions& set = memoryOf(c);
                   if (set.maxEntries.value_or(1) < 1) set.maxEntries = 100'000;
                   if (set.stackDepth.value_or(1) < 1) set.stackDepth = 32;
               });
}

void checkMemory(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkPositive(
        config.torchMemory, "torch_memory",
        [](SessionConfig& c) -> TorchMemoryOptions& { return c.torchMemory; }, findings);
    for (const Role role : kRoles) {
        checkPositive(
            config.role(role).torchMemory, "roles." + std::string(enumName(role)) + ".torch_memory",
            [role](SessionConfig& c) -> TorchMemoryOptions& { return c.role(role).torchMemory; }, findings);
    }
    if (config.tool != Tool::torchMemory) return;
    addFinding(findings, Severity::warning, "tool", "torch_memory.overhead",
               "allocator history is on in every rank for the whole run, even where no snapshot is taken",
               "lower stack_depth if the run becomes too slow");
}

} // namespace

void checkTorch(const RecipeInput& input, Findings& findings)
{
    checkOne(input, std::nullopt, findings);
    for (const Role role : kRoles)
        checkOne(input, role, findings);
    checkMemory(input, findings);
}

namespace {

constexpr std::array<std::string_view, 6> kContents{"npu", "cpu", "memory", "shapes", "module", "stack"};
constexpr std::array<std::string_view, 4> kLevels{"level_none", "level0", "level1", "level2"};
constexpr std::array<std::string_view, 6> kStages{"actor_update",         "actor_compute_log_prob",
                                                  "ref_compute_log_prob", "compute_values",
                                                  "critic_update",        "compute_rm_score"};

bool isOneOf(std::span<const std::string_view> words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string noneOf(std::span<const std::string_view> words)
{
    return "not " + choiceText(words);
}

// The settings from the session, or from one role.
struct Part {
    std::optional<Role> role;
    std::string path; // "" or "roles.actor."

    NpuOptions& npu(SessionConfig& config) const { return role ? config.role(*role).npu : config.npu; }
    PrecisionOptions& precision(SessionConfig& config) const
    {
        return role ? config.role(*role).precision : config.precision;
    }
};

void checkNpuWords(const NpuOptions& npu, const Part& part, Findings& findings)
{
    const std::vector<std::string> words = npu.contents.value_or(std::vector<std::string>());
    for (const std::string& word : words) {
        if (isOneOf(kContents, word)) continue;
        addFinding(findings, Severity::error, part.path + "npu.contents", "npu.contents",
                   "'" + word + "' is " + noneOf(kContents), "remove it",
                   [part, word](SessionConfig& c) { std::erase(*part.npu(c).contents, word); });
    }
    if (!words.empty() && std::find(words.begin(), words.end(), "npu") == words.end()) {
        addFinding(
            findings, Severity::warning, part.path + "npu.contents", "npu.no_device",
            "no device work is recorded unless the contents include npu", "add npu",
            [part](SessionConfig& c) { part.npu(c).contents->insert(part.npu(c).contents->begin(), "npu"); });
    }
    if (npu.level && !isOneOf(kLevels, *npu.level)) {
        addFinding(findings, Severity::error, part.path + "npu.level", "npu.level",
                   "'" + *npu.level + "' is " + noneOf(kLevels), "use level0",
                   [part](SessionConfig& c) { part.npu(c).level = "level0"; });
    }
    if (npu.analysis == false) {
        addFinding(
            findings, Severity::warning, part.path + "npu.analysis", "npu.analysis_off",
            "the raw data stays unparsed and cannot be opened until torch_npu's analyse() has parsed it",
            "turn it on", [part](SessionConfig& c) { part.npu(c).analysis.reset(); });
    }
}

void checkNpuWindow(const NpuOptions& npu, const Part& part, Findings& findings)
{
    if (!npu.tokenStart && !npu.tokenEnd) return;
    const int64_t start = npu.tokenStart.value_or(0);
    if (start < 0 || (npu.tokenEnd && *npu.tokenEnd <= start)) {
        addFinding(findings, Severity::error, part.path + "npu.profile_token_end", "npu.tokens",
                   "the token window is empty: its start must be 0 or more, and its end after its start",
                   "raise the end");
    }
}

void checkPrecision(const RecipeInput& input, const PrecisionOptions& precision, const Part& part,
                    Findings& findings)
{
    const std::string path = part.path + "precision_debugger.";
    for (const std::string& stage : precision.stages.value_or(std::vector<std::string>())) {
        if (isOneOf(kStages, stage)) continue;
        addFinding(findings, Severity::error, path + "stages", "precision.stages",
                   "'" + stage + "' is " + noneOf(kStages), "remove it",
                   [part, stage](SessionConfig& c) { std::erase(*part.precision(c).stages, stage); });
    }
    if (precision.steps) {
        addFinding(findings, Severity::warning, path + "steps", "precision.steps",
                   "frameworks ignore these and use the session's steps", "remove them",
                   [part](SessionConfig& c) { part.precision(c).steps.reset(); });
    }
    if (part.role || input.config.tool != Tool::precisionDebugger) return;
    const bool named = precision.configPath || std::any_of(kRoles.begin(), kRoles.end(), [&](Role role) {
                           return input.config.role(role).precision.configPath.has_value();
                       });
    if (!named) {
        addFinding(findings, Severity::error, path + "config_path", "precision.config_path",
                   "without msprobe's JSON file nothing is dumped, and no error is reported",
                   "enter the path of the file on the hosts");
    }
    addFinding(
        findings, Severity::note, "tool", "precision.dumps",
        "this tool dumps tensors into the save path; they are not profiles, so Lockstep does not collect them",
        "");
}

} // namespace

void checkAscend(const RecipeInput& input, Findings& findings)
{
    std::vector<Part> parts{{std::nullopt, ""}};
    for (const Role role : kRoles)
        parts.push_back({role, "roles." + std::string(enumName(role)) + "."});
    for (const Part& part : parts) {
        const NpuOptions& npu = part.role ? input.config.role(*part.role).npu : input.config.npu;
        checkNpuWords(npu, part, findings);
        checkNpuWindow(npu, part, findings);
        checkPrecision(input, part.role ? input.config.role(*part.role).precision : input.config.precision,
                       part, findings);
    }
}

} // namespace lockstep
