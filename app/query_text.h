// SPDX-License-Identifier: Apache-2.0
// queryText(): what `--sql` was given, a query or the name of a file that holds one. Any thread.
#pragma once

#include <string>

#include "core/base/result.h"

namespace lockstep {

// The text of the file of that name where there is one, else sql itself. invalid: a single word that is no
// file; io.
Result<std::string> queryText(const std::string& sql);

} // namespace lockstep
