// SPDX-License-Identifier: Apache-2.0
// Detects files that are not reports but are found where reports are expected: pointers of Git LFS and
// git-annex, error pages, archives, exports and dumps of other kinds. The message states what the file is and
// what to do, so that users do not mistake it for a corrupt trace. This check runs before the readers are
// tried.
#pragma once

#include <optional>
#include <string>

#include "core/readers/reader.h"

namespace lockstep {

// Returns a description of a file that is not a report, or nullopt if it may be a report. Example: "a Git LFS
// pointer, not the file itself (734,003,200 bytes); fetch the file with git lfs pull". Recognizes files by
// content, except parts of a split file, which are recognized by name. Pure, any thread.
std::optional<std::string> foreignFileText(const FileSniff& file);

} // namespace lockstep
