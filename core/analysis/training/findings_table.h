// SPDX-License-Identifier: Apache-2.0
// The findings table: lists RunFindings, one per row, worst first. Used by the command line and the HTML
// report; the window's Findings panel shows the same findings.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis findingsAnalysis();

} // namespace lockstep
