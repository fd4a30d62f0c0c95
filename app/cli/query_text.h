// SPDX-License-Identifier: Apache-2.0
// queryText() returns the query of `--sql`, given as text or as the name of a file. Any thread.
#pragma once

#include <string>

#include "core/base/result.h"

namespace lockstep {

// Returns the content of the file named `sql` if it exists, otherwise `sql` itself. Errors: io, invalid (a
// single word that is not a file).
Result<std::string> queryText(const std::string& sql);

} // namespace lockstep
