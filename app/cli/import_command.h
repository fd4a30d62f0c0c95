// SPDX-License-Identifier: Apache-2.0
// `lockstep --import`: converts a launch script, configuration, list of overrides or environment to a session
// file.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "core/session/config_value.h"

namespace lockstep {

// source: a file, or "-" for `in`. output: a session file, or "-" for `out`. values: see ImportOptions.
// Prints one line to err for each item that could not be converted. Returns 0 if everything was converted, 3
// if the items printed to err are missing in the session, 1 if no session was written.
int importCommand(const std::string& source, const std::string& output, const TextPairs& values, bool isQuiet,
                  std::istream& in, std::ostream& out, std::ostream& err);

} // namespace lockstep
