// SPDX-License-Identifier: Apache-2.0
// notes: one row per mark or note that people left in a workspace, where it lies by every clock, and whether
// what it was set in was found again. Marks stand in workspace files and not in reports: whoever opens the
// files gives them.
#pragma once

#include "core/analysis/analysis.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// In the order of their numbers, under each group of the scope; filters leave out what is not known to match.
Table notesTable(std::string_view what, const MarkList& marks, const Scene& scene, const Scope& scope);

// The group of tables that are of workspace files alone: the window shows the same in a panel.
inline constexpr std::string_view kWorkspaceTables = "Workspace";

// For the registry. By itself it has no marks, so it has no rows.
Analysis notesAnalysis();

} // namespace lockstep
