// SPDX-License-Identifier: Apache-2.0
// runTitle() names a set of reports for people: the title of the window and the heading of the HTML report.
// Thread: any.
#pragma once

#include <string>

#include "core/trace/workspace.h"

namespace lockstep {

// Returns the run if all reports have the same one. Otherwise returns the name of their file if they are from
// one file, or the name of the folder that contains all their files. Relative paths start at the current
// folder. Empty if there is no report, or if only the root folder contains all files.
std::string runTitle(const Workspace& reports);

} // namespace lockstep
