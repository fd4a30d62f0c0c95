// SPDX-License-Identifier: Apache-2.0
// Analysis: one table that can be made of a workspace, known by the word the command line uses. Each is a
// pair of files and a line in registry.cpp. Analyses are pure functions, safe on any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/arguments.h"
#include "core/analysis/input_file.h"
#include "core/analysis/row_stream.h"
#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct AnalysisRequest {
    std::string_view what; // as asked for, with its arguments
    const ArgumentValues& arguments;
    const Scene& scene;
    const Scope& scope;
    std::span<const InputFile> inputs; // of the inventory; may be empty
    // What tables are of: the reports that are shown.
    const Workspace& workspace = scene.shown;
    const Alignment& alignment = scene.alignment;
};

struct Analysis {
    std::string_view name;
    std::string_view title; // for people
    std::string_view rows;  // what it needs: "kernels"; completes "the inputs hold no ..."
    std::span<const AnalysisArgument> arguments;
    Result<Table> (*run)(const AnalysisRequest& request, const Progress& progress);
    bool hasCommunicators = false; // its rows are of one communicator each: GroupBy::communicator parts them
    // Instead of run, for tables that may be larger than memory. What the request's scene, scope and inputs
    // are must outlive the stream; its arguments and words need not.
    Result<std::unique_ptr<RowStream>> (*stream)(const AnalysisRequest& request,
                                                 const Progress& progress) = nullptr;
};

// In the order of the help text.
std::span<const Analysis> analyses();
// The same by subject, as lists show them.
struct AnalysisGroup {
    std::string_view title;
    std::span<const Analysis> analyses;
};
std::vector<AnalysisGroup> analysisGroups();
// By the name before the first ':'; nullptr when there is none.
const Analysis* findAnalysis(std::string_view what);

// An analysis and what it was told.
struct ResolvedAnalysis {
    const Analysis* analysis = nullptr;
    ArgumentValues arguments;
};

// Of "NAME[:ARGUMENT...]". invalid: no such analysis or argument, or a value that it does not take; the
// message says what there is.
Result<ResolvedAnalysis> resolveAnalysis(std::string_view what);

// How many rows of a table that is made row by row are held where it is not written.
inline constexpr size_t kMostHeldRows = 1'000'000;

// The table's rows for a writer: made one after the other where the analysis can, else all of them at once.
// scene, scope and inputs must outlive the stream. invalid as resolveAnalysis(), and where rows are to be by
// communicator and have none; canceled.
Result<std::unique_ptr<RowStream>> openRows(std::string_view what, const Scene& scene, const Scope& scope,
                                            const Progress& progress, std::span<const InputFile> inputs = {});

// Makes the table; of one that is made row by row the first kMostHeldRows, which its source tells. invalid as
// openRows(), canceled.
Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs = {});

} // namespace lockstep
