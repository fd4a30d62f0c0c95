// SPDX-License-Identifier: Apache-2.0
// The `notes` analysis: one row per marker or note in a workspace, with its position on every clock, and
// whether its report was found. Markers are stored in workspace files, not in reports; the code that opens
// the workspace file passes them in.
#pragma once

#include "core/analysis/analysis.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// Within each group of the scope, rows are sorted by marker number. A filter excludes every marker that is
// not known to match.
Table notesTable(std::string_view what, const MarkList& marks, const Scene& scene, const Scope& scope);

} // namespace lockstep
