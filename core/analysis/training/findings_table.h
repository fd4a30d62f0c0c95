// SPDX-License-Identifier: Apache-2.0
// Table findings: what RunFindings says, a row each, worst first: the window's Findings as a table, for the
// command line and the HTML report.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis findingsAnalysis();

} // namespace lockstep
