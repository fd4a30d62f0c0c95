// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/own_traces.h"

#include "core/session/typed_value.h"

namespace lockstep {

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
        // A folder that was named for them holds nothing else; in the working folder lies much JSON.
        file.pattern = config.savePath ? R"(.+\.json(?:\.gz)?)" : R"(.+\.pt\.trace\.json(?:\.gz)?)";
        file.size_bytes = torchTraceSize(config.torch, 1);
        files.push_back(std::move(file));
    }
}

void checkOwnTraces(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.tool != Tool::torch) return;
    const std::string place = ownTraceFolder(config);
    if (!config.savePath) {
        addFinding(
            findings, Severity::warning, "save_path", "torch.own_place",
            "the program writes its traces by itself, where is not said: *.pt.trace.json[.gz] is looked "
            "for in '" +
                place + "' alone",
            "name the folder that its torch.profiler writes into");
    } else {
        addFinding(findings, Severity::note, "tool", "torch.own_calls",
                   "the program itself must run torch.profiler and write its traces into '" + place +
                       "': nothing is added to its command",
                   "");
    }
    const bool isIgnored = config.torch.isSet() || !sortedSteps(config).empty();
    if (isIgnored) {
        addFinding(findings, Severity::warning, config.torch.isSet() ? "torch" : "steps",
                   "torch.own_settings", "what is recorded is up to the program: this has no effect on it",
                   "take it out", [](SessionConfig& c) {
                       c.torch = {};
                       c.steps.reset();
                   });
    }
}

} // namespace lockstep
