// SPDX-License-Identifier: Apache-2.0
// Recipe for torchrun: one launcher per host; nsys wraps either the launcher or each process it starts.
#include <algorithm>

#include "core/session/head_address.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/nsys_command.h"

namespace lockstep {

namespace {

constexpr std::string_view kPort = "29500"; // torchrun's default port

bool isRankPlaced(const SessionConfig& config)
{
    return config.torchrun.nsysPlacement.value_or(NsysPlacement::node) == NsysPlacement::rank;
}

std::string processesOn(const RecipeInput& input)
{
    if (input.config.torchrun.processesPerNode)
        return std::to_string(*input.config.torchrun.processesPerNode);
    const bool known = input.hostIndex < input.hosts.size() && input.hosts[input.hostIndex].gpus;
    return known ? std::to_string(*input.hosts[input.hostIndex].gpus) : "gpu";
}

} // namespace

std::vector<std::string> torchrunArguments(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    std::vector<std::string> words{"torchrun"};
    if (config.launcher.kind == LauncherKind::slurm) {
        // PET_* variables in the batch script set the position in the job and the size of the job.
    } else if (input.hosts.size() > 1) {
        words.push_back("--nnodes=" + std::to_string(input.hosts.size()));
        words.push_back("--node-rank=" + std::to_string(input.hostIndex));
        words.push_back("--master-addr=" + headAddress(input));
        words.push_back("--master-port=" + std::string(kPort));
    } else {
        words.push_back("--standalone");
    }
    words.push_back("--nproc-per-node=" + processesOn(input));
    words.insert(words.end(), config.torchrun.options.begin(), config.torchrun.options.end());
    return words;
}

namespace {

Result<RecipeProgram> torchrunProgram(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    RecipeProgram made;
    const bool nsys = config.tool == Tool::nsys;
    if (nsys && !isRankPlaced(config)) made.argv = nsysProfileCommand(config, "report_%h");
    for (std::string& word : torchrunArguments(input))
        made.argv.push_back(std::move(word));
    const bool isScript = !config.command.empty() && config.command[0].ends_with(".py");
    if (!isScript || (nsys && isRankPlaced(config))) made.argv.push_back("--no-python");
    if (nsys && isRankPlaced(config)) {
        for (std::string& word : nsysProfileCommand(config, "report_%h_rank%q{RANK}"))
            made.argv.push_back(std::move(word));
        if (isScript) made.argv.push_back("python3");
    }
    made.argv.insert(made.argv.end(), config.command.begin(), config.command.end());
    made.overrides = config.otherOverrides;
    made.argv.insert(made.argv.end(), made.overrides.begin(), made.overrides.end());
    made.environment = captureEnvironment(input);
    made.folder = reportFolder(config);
    return made;
}

void forecastTorchrun(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    if (config.tool == Tool::capture) return forecastCapture(input, files);
    if (config.tool == Tool::torch) return forecastOwnTraces(input, files);
    if (config.tool != Tool::nsys) return;
    const auto groups = stepGroups(config);
    int64_t next = 0;
    for (const Host& host : input.hosts) {
        ExpectedFile file;
        file.host = host.name;
        const std::optional<int64_t> processes =
            config.torchrun.processesPerNode ? config.torchrun.processesPerNode : host.gpus;
        file.rankCount = isRankPlaced(config) ? processes : std::optional<int64_t>(1);
        file.unknownReason = file.isCountKnown() ? "" : kGpusUnknown;
        for (int64_t i = 0; isRankPlaced(config) && processes && i < *processes && i < 1024; ++i)
            file.ranks.push_back(next++);
        file.steps = groups;
        file.reportsPerRank = groups.empty() ? 1 : static_cast<int64_t>(groups.size());
        file.folder = nsysFolder(config);
        const std::string name =
            isRankPlaced(config) ? R"(report_(?<host>.+)_rank(?<rank>\d+))" : R"(report_(?<host>.+?))";
        file.pattern = name + (groups.empty() ? R"(\.nsys-rep)" : R"(\.(?<range>\d+)\.nsys-rep)");
        file.size_bytes = nsysReportSize(groups.empty() ? 4 : groups.front().size(), false);
        applyCustomOutput(config, file);
        files.push_back(std::move(file));
    }
}

void checkTorchrun(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkProfilerCalls(input, findings);
    checkOwnTraces(input, findings);
    if (!config.command.empty() &&
        (config.command[0] == "torchrun" || config.command[0].ends_with("/torchrun"))) {
        addFinding(findings, Severity::error, "command", "torchrun.twice",
                   "the plan starts torchrun itself; the command is what each rank runs",
                   "remove torchrun; its options have their own field");
    }
    const NsightOption* output = findOption(config.workerOptions, "output");
    if (output == nullptr) output = findOption(config.workerOptions, "o");
    const bool namesRank =
        output != nullptr && output->value && output->value->find("%q{RANK}") != std::string::npos;
    if (config.tool == Tool::nsys && !isRankPlaced(config) && namesRank) {
        addFinding(findings, Severity::error, "torchrun.nsys_placement", "torchrun.rank_unset",
                   "RANK is not set if nsys runs around torchrun: there is one report with all ranks of the "
                   "node, and %q{RANK} fails",
                   "run one nsys per rank inside torchrun",
                   [](SessionConfig& c) { c.torchrun.nsysPlacement = NsysPlacement::rank; });
    }
    if (config.tool == Tool::nsys && isRankPlaced(config)) {
        addFinding(
            findings, Severity::note, "torchrun.nsys_placement", "torchrun.many_nsys",
            "several nsys processes on a node cannot all sample GPU metrics; enable GPU metrics on one rank at most",
            "");
    }
}

} // namespace

Recipe torchrunRecipe()
{
    static constexpr std::array kTools{Tool::nsys, Tool::torch, Tool::capture};
    return {Framework::torchrun, "torchrun",       true,          false,   kTools,
            torchrunProgram,     forecastTorchrun, checkTorchrun, nullptr, true};
}

} // namespace lockstep
