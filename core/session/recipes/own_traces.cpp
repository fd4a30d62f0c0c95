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
