// SPDX-License-Identifier: Apache-2.0
// findingsHtml() returns the findings section of the HTML report. It contains what the Findings panel of the
// window shows, in the same order and wording: severity, cost, sentence, chart with threshold, evidence and
// all recommendations. Pure. Thread: any.
#pragma once

#include <string>

#include "core/analysis/training/findings.h"

namespace lockstep {

// The markup uses the style sheet of htmlReport(). Without findings, the section lists the rules that were
// checked.
std::string findingsHtml(const RunFindings& findings);

} // namespace lockstep
