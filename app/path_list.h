// SPDX-License-Identifier: Apache-2.0
// readPathList(): the inputs that a script names on standard input.
#pragma once

#include <filesystem>
#include <vector>

#include "app/interrupt.h"
#include "core/base/result.h"

namespace lockstep {

// One path a line, or parted by NUL where there is one. An interrupt ends the wait. canceled, io.
Result<std::vector<std::filesystem::path>> readPathList(const Interrupt& interrupt);

} // namespace lockstep
