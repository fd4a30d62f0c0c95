// SPDX-License-Identifier: Apache-2.0
// Output of `lockstep --help` and `lockstep --version`. Keep the content in agreement with the man page
// packaging/man/lockstep.1.
#pragma once

#include <string>

namespace lockstep {

std::string helpText();
std::string versionText();

} // namespace lockstep
