// SPDX-License-Identifier: Apache-2.0
// Recipe for a plain command: one process per host under nsys or Lockstep capture.
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/nsys_command.h"

namespace lockstep {

namespace {

// Slurm runs the command once per task, so the task's rank is used to distinguish the reports.
std::string outputName(const SessionConfig& config)
{
    return config.launcher.kind == LauncherKind::slurm ? "report_%h_rank%q{SLURM_PROCID}" : "report_%h_%p";
}

Result<RecipeProgram> plainProgram(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    RecipeProgram made;
    if (config.tool == Tool::nsys) made.argv = nsysProfileCommand(config, outputName(config));
    made.argv.insert(made.argv.end(), config.command.begin(), config.command.end());
    made.overrides = config.otherOverrides;
    made.argv.insert(made.argv.end(), made.overrides.begin(), made.overrides.end());
    made.environment = captureEnvironment(input);
    made.folder = reportFolder(config);
    return made;
}

void forecastPlain(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    if (config.tool == Tool::capture) return forecastCapture(input, files);
    if (config.tool == Tool::torch) return forecastOwnTraces(input, files);
    if (config.tool != Tool::nsys) return;
    const auto groups = stepGroups(config);
    for (const Host& host : input.hosts) {
        ExpectedFile file;
        file.host = host.name;
        file.rankCount = 1;
        file.steps = groups;
        file.reportsPerRank = groups.empty() ? 1 : static_cast<int64_t>(groups.size());
        file.folder = nsysFolder(config);
        file.pattern = groups.empty() ? R"(.+\.nsys-rep)" : R"(.+\.(?<range>\d+)\.nsys-rep)";
        file.size_bytes = nsysReportSize(groups.empty() ? 4 : groups.front().size(), false);
        applyCustomOutput(config, file);
        files.push_back(std::move(file));
    }
}

void checkPlain(const RecipeInput& input, Findings& findings)
{
    checkProfilerCalls(input, findings);
    checkOwnTraces(input, findings);
}

} // namespace

Recipe plainRecipe()
{
    static constexpr std::array kTools{Tool::nsys, Tool::torch, Tool::capture};
    return {Framework::plain, "plain command", true, false, kTools, plainProgram, forecastPlain, checkPlain};
}

} // namespace lockstep
