// SPDX-License-Identifier: Apache-2.0
// Identities of open reports to and from the CSV of `--identity` (app/identity_file.h).
#pragma once

#include <string>
#include <vector>

#include "app/identity_file.h"
#include "ui/models/report_identity_model.h"

namespace lockstep {

// One line per open report: its path, as a pattern that fits it alone, and all statable parts that are known.
std::string identityCsv(const std::vector<ReportEntry>& entries);

// The cells in which the file says something else than what is known of the open reports.
std::vector<IdentityCell> cellsOf(const IdentityFile& file, const std::vector<ReportEntry>& entries);

} // namespace lockstep
