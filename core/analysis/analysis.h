// SPDX-License-Identifier: Apache-2.0
// Analysis: one table that can be made of a workspace, known by the word the command line uses. Each is a
// pair of files and a line in registry.cpp. Analyses are pure functions, safe on any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/input_file.h"
#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// A word after the analysis' name: "base" of "cuda_gpu_kern_sum:base".
struct AnalysisArgument {
    std::string_view name;
    std::string_view doc;
};

struct AnalysisRequest {
    std::string_view what; // as asked for, with its arguments
    std::vector<std::string_view> arguments;
    const Scene& scene;
    const Scope& scope;
    std::span<const InputFile> inputs; // of the inventory; may be empty
    // What tables are of: the reports that are shown.
    const Workspace& workspace = scene.shown;
    const Alignment& alignment = scene.alignment;

    bool hasArgument(std::string_view name) const;
};

struct Analysis {
    std::string_view name;
    std::string_view title; // for people
    std::string_view rows;  // what it needs: "kernels"; completes "the inputs hold no ..."
    std::span<const AnalysisArgument> arguments;
    Result<Table> (*run)(const AnalysisRequest& request, const Progress& progress);
};

// In the order of the help text.
std::span<const Analysis> analyses();
// By the name before the first ':'; nullptr when there is none.
const Analysis* findAnalysis(std::string_view what);

// Checks name and arguments of "NAME[:ARGUMENT...]". invalid: no such analysis or argument; the message lists
// what is.
Result<const Analysis*> resolveAnalysis(std::string_view what);

// Makes the table. invalid as resolveAnalysis(), canceled.
Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs = {});

} // namespace lockstep
