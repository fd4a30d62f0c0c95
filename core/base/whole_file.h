// SPDX-License-Identifier: Apache-2.0
// Reads small files whole, also those in /proc, whose size is not known before and whose process may end
// while they are read. Reading such a file through std::istreambuf_iterator throws then. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep {

// Errors: notFound, io. The message contains the path and the reason.
Result<std::string> readWholeFile(const std::filesystem::path& path);

// Same, but empty if the file cannot be read completely.
std::string wholeFileOrEmpty(const std::filesystem::path& path);

} // namespace lockstep
