// SPDX-License-Identifier: Apache-2.0
// The findings table: lists RunFindings, one per row, worst first, for files and the command line. The HTML
// report and the Findings panel show the same findings in full.
#pragma once

#include "core/analysis/analysis.h"
#include "core/analysis/training/findings.h"

namespace lockstep {

Analysis findingsAnalysis();
// Returns findings as the table that the request `what` names.
Table findingsTable(std::string_view what, const RunFindings& findings);

} // namespace lockstep
