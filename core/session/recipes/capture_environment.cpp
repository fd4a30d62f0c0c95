// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/capture_environment.h"

#include <algorithm>

#include "core/session/launch_plan.h"

namespace lockstep {

static std::string commaList(const std::vector<int64_t>& numbers)
{
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

// Ranks of all enabled roles together; empty for all.
static std::vector<int64_t> recordedRanks(const SessionConfig& config)
{
    std::vector<int64_t> ranks;
    for (const RoleProfile& role : config.roles) {
        if (!role.enable.value_or(false)) continue;
        if (role.allRanks.value_or(false) || !role.ranks) return {};
        ranks.insert(ranks.end(), role.ranks->begin(), role.ranks->end());
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

std::string captureFolder(const SessionConfig& config)
{
    return config.savePath.value_or(runFolder(config) + "/reports");
}

TextPairs captureEnvironment(const RecipeInput& input, std::string_view role)
{
    const SessionConfig& config = input.config;
    if (config.tool != Tool::capture) return {};
    const std::string library =
        config.capture.library.empty() ? "liblockstep_capture.so" : config.capture.library;
    TextPairs environment{{"CUDA_INJECTION64_PATH", library},
                          {"NVTX_INJECTION64_PATH", library},
                          {"LOCKSTEP_OUTPUT", captureFolder(config)}};
    if (!role.empty()) environment.emplace_back("LOCKSTEP_ROLE", role);
    const std::vector<int64_t> ranks = recordedRanks(config);
    environment.emplace_back(ranks.empty() ? "LOCKSTEP_ALL_RANKS" : "LOCKSTEP_RANKS",
                             ranks.empty() ? "1" : commaList(ranks));
    if (const std::vector<int64_t> steps = sortedSteps(config); !steps.empty()) {
        environment.emplace_back("LOCKSTEP_STEPS", commaList(steps));
    }
    if (config.discrete) environment.emplace_back("LOCKSTEP_DISCRETE", *config.discrete ? "1" : "0");
    // Frameworks on Ray call the profiler's start and stop only for tools of their own.
    const bool triggered = !recipeFor(config.framework).usesRay && !sortedSteps(config).empty();
    const std::string range = triggered ? "cudaProfilerApi" : "all";
    environment.emplace_back("LOCKSTEP_CAPTURE_RANGE",
                             config.capture.range.empty() ? range : config.capture.range);
    return environment;
}

void forecastCapture(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    std::vector<int64_t> ranks = recordedRanks(config);
    if (const auto world = knownWorldSize(config); ranks.empty() && world && *world <= 100'000) {
        for (int64_t rank = 0; rank < *world; ++rank)
            ranks.push_back(rank);
    }
    for (HostRanks& part : ranksByHost(input.hosts, ranks)) {
        ExpectedFile file;
        file.kind = ReportKind::captureSpool;
        file.host = part.host;
        file.ranks = std::move(part.ranks);
        file.steps = {sortedSteps(config)};
        file.folder = captureFolder(config);
        file.pattern = R"(.+\.lsc)";
        file.size_bytes = captureSpoolSize(sortedSteps(config).size());
        files.push_back(std::move(file));
    }
}

} // namespace lockstep
