// SPDX-License-Identifier: Apache-2.0
// Analysis: describes one table that can be computed from a workspace. The table is identified by its
// command-line name. Each analysis, or each family of small ones, is a file; each analysis is a line in
// registry.h. Analyses are pure functions, safe on any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/arguments.h"
#include "core/analysis/chart_rule.h"
#include "core/analysis/input_file.h"
#include "core/analysis/row_stream.h"
#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct AnalysisRequest {
    std::string_view what; // as requested, with its arguments
    const ArgumentValues& arguments;
    const Scene& scene;
    const Scope& scope;
    std::span<const InputFile> inputs; // input files from the inventory; may be empty
    // The reports that the tables cover, i.e. the visible reports.
    const Workspace& workspace = scene.shown;
    const Alignment& alignment = scene.alignment;
};

struct Analysis {
    std::string_view name;
    std::string_view title; // displayed title
    std::string_view rows;  // kind of rows that is required, e.g. "kernels"; completes "The reports contain
                            // no ..."
    std::span<const AnalysisArgument> arguments;
    Result<Table> (*run)(const AnalysisRequest& request, const Progress& progress);
    RowOwner owner = RowOwner::process; // of each row; limits how the rows can be grouped
    // Used instead of run() for tables that may be larger than memory. The scene, scope and inputs of the
    // request must outlive the stream; its arguments and strings need not.
    Result<std::unique_ptr<RowStream>> (*stream)(const AnalysisRequest& request,
                                                 const Progress& progress) = nullptr;
    std::vector<ChartRule> charts = {}; // the first one whose columns exist and have values is drawn
};

// Returns the analysis with these charts.
inline Analysis withCharts(Analysis analysis, std::vector<ChartRule> charts)
{
    analysis.charts = std::move(charts);
    return analysis;
}

// Returns all analyses in the order of the help text.
std::span<const Analysis> analyses();
// A group of analyses with the same subject, for lists.
struct AnalysisGroup {
    std::string_view title;
    std::span<const Analysis> analyses;
};
std::vector<AnalysisGroup> analysisGroups();
// The group for tables that concern only workspace files; the window shows the same data in a panel.
inline constexpr std::string_view kWorkspaceTables = "Workspace";
// Returns the analysis whose name precedes the first ':', or nullptr.
const Analysis* findAnalysis(std::string_view what);

// An analysis with its parsed arguments.
struct ResolvedAnalysis {
    const Analysis* analysis = nullptr;
    ArgumentValues arguments;
};

// Parses "NAME[:ARGUMENT...]". Returns `invalid` for an unknown analysis, argument or value; the message
// lists the valid ones.
Result<ResolvedAnalysis> resolveAnalysis(std::string_view what);

// Returns `invalid` if the scope groups by communicator but the analysis' rows have no communicator.
Status checkGrouping(const Analysis& analysis, const Scope& scope);

// Maximum number of rows kept from a streamed table that is not written to a file.
inline constexpr size_t kMaxCollectedRows = 1'000'000;

// Returns the table's rows for a writer: streamed if the analysis supports it, otherwise all at once. scene,
// scope and inputs must outlive the stream. Errors: those of resolveAnalysis(); `invalid` if the request
// groups by communicator but the rows have no communicator; `canceled`.
Result<std::unique_ptr<RowStream>> openRows(std::string_view what, const Scene& scene, const Scope& scope,
                                            const Progress& progress, std::span<const InputFile> inputs = {});

// Computes the table. A streamed table is limited to its first kMaxCollectedRows rows; the table's source
// then states this. Errors: those of openRows(), `canceled`.
Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs = {});

} // namespace lockstep
