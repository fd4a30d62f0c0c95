// SPDX-License-Identifier: Apache-2.0
// Conversion of the identities of open reports to and from the CSV of `--identity` (app/cli/identity_file.h).
#pragma once

#include <string>
#include <vector>

#include "app/cli/identity_file.h"
#include "ui/models/report_identity_model.h"

namespace lockstep {

// Returns one line per open report: the path (as a pattern that matches only this path) and all known parts
// of the identity that the CSV format supports.
std::string identityCsv(const std::vector<ReportEntry>& entries);

// Returns the cells in which the file differs from the identities of the open reports.
std::vector<IdentityCell> cellsOf(const IdentityFile& file, const std::vector<ReportEntry>& entries);

} // namespace lockstep
