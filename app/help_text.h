// SPDX-License-Identifier: Apache-2.0
// What `lockstep --help` and `--version` print. The man page packaging/man/lockstep.1 says the same.
#pragma once

#include <string>

namespace lockstep {

std::string helpText();
std::string versionText();

} // namespace lockstep
