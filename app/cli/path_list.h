// SPDX-License-Identifier: Apache-2.0
// Lists of input paths, read from standard input or a file.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "app/cli/interrupt.h"
#include "core/base/result.h"

namespace lockstep {

// Splits a list of paths at newlines, or at NUL characters if there are any.
std::vector<std::filesystem::path> pathsInList(std::string_view text);
// Reads paths from standard input. An interrupt ends the blocking read. Errors: canceled, io.
Result<std::vector<std::filesystem::path>> readPathList(const Interrupt& interrupt);

} // namespace lockstep
