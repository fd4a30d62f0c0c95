// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/nsys_command.h"

#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/typed_value.h"

namespace lockstep {

std::string nsysFolder(const SessionConfig& config)
{
    return config.savePath.value_or(runFolder(config) + "/reports");
}

std::string reportFolder(const SessionConfig& config)
{
    if (config.tool == Tool::capture) return captureFolder(config);
    const bool named = findOption(config.workerOptions, "output") != nullptr ||
                       findOption(config.workerOptions, "o") != nullptr;
    return config.tool == Tool::nsys && !named ? nsysFolder(config) : std::string();
}

NsightOptions nsysProfileDefaults(const SessionConfig& config)
{
    NsightOptions options{
        {"trace", "cuda,nvtx"}, {"sample", "none"}, {"cpuctxsw", "none"}, {"cuda-graph-trace", "node"}};
    if (const size_t ranges = stepGroups(config).size(); ranges > 0) {
        setOption(options, "capture-range", "cudaProfilerApi");
        setOption(options, "capture-range-end", "repeat-shutdown:" + std::to_string(ranges));
        setOption(options, "kill", "none");
    }
    return options;
}

std::vector<std::string> nsysProfileCommand(const SessionConfig& config, std::string_view outputName)
{
    NsightOptions options = nsysProfileDefaults(config);
    setOption(options, "output", nsysFolder(config) + "/" + std::string(outputName));
    setOption(options, "stats", "false");
    setOption(options, "export", "none");
    for (const NsightOption& option : config.workerOptions) {
        const NsightOptionRule* rule = findNsightRule(option.name);
        setOption(options, rule != nullptr ? rule->name : std::string_view(option.name), option.value);
    }
    std::vector<std::string> words{"nsys", "profile"};
    for (std::string& word : nsysArguments(options))
        words.push_back(std::move(word));
    return words;
}

void applyCustomOutput(const SessionConfig& config, ExpectedFile& file)
{
    const std::string output = nsysOutput(config.workerOptions);
    if (output.empty()) return;
    const size_t slash = output.rfind('/');
    const std::string here = config.workingFolder.empty() ? "." : config.workingFolder;
    file.folder = slash == std::string::npos ? here : output.substr(0, slash);
    file.pattern = nsysNamePattern(output) +
                   (stepGroups(config).empty() ? R"(\.nsys-rep)" : R"(\.(?<range>\d+)\.nsys-rep)");
}

void checkProfilerCalls(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool) return;
    const NsightOption* range = findOption(config.workerOptions, "capture-range");
    const bool isOwn = config.tool == Tool::capture;
    const bool byCalls = isOwn ? captureRange(config) == "cudaProfilerApi"
                               : range == nullptr || range->value == "cudaProfilerApi";
    const bool isAround = !isOwn || captureStepsAre(config) == CaptureSteps::listed;
    if (!sortedSteps(config).empty() && byCalls && isAround && (isOwn || config.tool == Tool::nsys)) {
        addFinding(findings, Severity::note, "steps", "own_calls",
                   "the program itself must call torch.cuda.profiler.start() and stop() around these steps; "
                   "otherwise nothing is recorded",
                   "leave the steps empty to record everything");
    }
    for (const RoleProfile& role : config.roles) {
        if (role == RoleProfile{}) continue;
        addFinding(findings, Severity::warning, "roles", "plain.roles",
                   "this program has no roles; role settings are ignored", "remove them",
                   [](SessionConfig& c) { c.roles = {}; });
        break;
    }
}

std::string ownTraceFolder(const SessionConfig& config)
{
    return config.savePath.value_or(config.workingFolder.empty() ? "." : config.workingFolder);
}

void forecastOwnTraces(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    for (const Host& host : input.hosts) {
        ExpectedFile file;
        file.kind = ReportKind::torchTrace;
        file.host = host.name;
        file.folder = ownTraceFolder(config);
        // A save_path contains only traces, but the working folder may also contain other JSON files.
        file.pattern = config.savePath ? R"(.+\.json(?:\.gz)?)" : R"(.+\.pt\.trace\.json(?:\.gz)?)";
        file.size_bytes = torchTraceSize(config.torch, 1);
        file.unknownReason = "the program itself decides how many traces it writes";
        files.push_back(std::move(file));
    }
}

void checkOwnTraces(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.tool != Tool::torch) return;
    const std::string place = ownTraceFolder(config);
    if (!config.savePath) {
        addFinding(findings, Severity::warning, "save_path", "torch.own_place",
                   "the program writes its traces itself, to an unknown folder: Lockstep searches only '" +
                       place + "' for *.pt.trace.json[.gz]",
                   "set the folder that its torch.profiler writes to");
    } else {
        addFinding(findings, Severity::note, "tool", "torch.own_calls",
                   "the program itself must run torch.profiler and write its traces to '" + place +
                       "'; nothing is added to its command",
                   "");
    }
    const bool isIgnored = config.torch.isSet() || !sortedSteps(config).empty();
    if (isIgnored) {
        addFinding(findings, Severity::warning, config.torch.isSet() ? "torch" : "steps",
                   "torch.own_settings", "the program decides what is recorded; this setting has no effect",
                   "remove it", [](SessionConfig& c) {
                       c.torch = {};
                       c.steps.reset();
                   });
    }
}

} // namespace lockstep
