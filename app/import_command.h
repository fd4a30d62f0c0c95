// SPDX-License-Identifier: Apache-2.0
// `lockstep --import`: a launch script, configuration, list of overrides or environment becomes a session
// file.
#pragma once

#include <istream>
#include <ostream>
#include <string>

namespace lockstep {

// source: a file, or "-" for `in`; output: a session file, or "-" for `out`. What was not understood is told
// on err, one line each. 0 all of it is in the session; 3 the session is written and lacks what err tells; 1
// there is none.
int importCommand(const std::string& source, const std::string& output, bool isQuiet, std::istream& in,
                  std::ostream& out, std::ostream& err);

} // namespace lockstep
