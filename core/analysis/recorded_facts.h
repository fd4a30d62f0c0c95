// SPDX-License-Identifier: Apache-2.0
// Names the reports for which a table has no RowFacts. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "core/trace/workspace.h"

namespace lockstep {

// Returns a sentence for the table's rules about the reports of `reports` that have no RowFacts at all, or ""
// if there is none: the cells of their rows are empty.
std::string missingFacts(const Workspace& workspace, std::span<const ReportKey> reports);

} // namespace lockstep
