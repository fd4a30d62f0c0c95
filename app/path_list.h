// SPDX-License-Identifier: Apache-2.0
// The inputs that a script names on standard input or in a file.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "app/interrupt.h"
#include "core/base/result.h"

namespace lockstep {

// One path a line, or parted by NUL where there is one.
std::vector<std::filesystem::path> pathsInList(std::string_view text);
// Those on standard input. An interrupt ends the wait. canceled, io.
Result<std::vector<std::filesystem::path>> readPathList(const Interrupt& interrupt);

} // namespace lockstep
