// SPDX-License-Identifier: Apache-2.0
// Files that lie where reports are expected and are none: pointers of Git LFS and git-annex, error pages,
// archives, exports and dumps of other kinds. Each is named for what it is, with what to do about it, so that
// nobody looks for damage in a trace. Asked before the readers.
#pragma once

#include <optional>
#include <string>

#include "core/readers/reader.h"

namespace lockstep {

// "a Git LFS pointer, not the file itself (734,003,200 bytes); fetch it with git lfs pull". Absent: it may be
// a report. By content; the name is looked at for the parts of a split file only, which have no content of
// their own. Pure, any thread.
std::optional<std::string> foreignFileText(const FileSniff& file);

} // namespace lockstep
