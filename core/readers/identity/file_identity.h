// SPDX-License-Identifier: Apache-2.0
// Derives an identity from the names of a report file and its folders: by the schemes in the recipes of the
// frameworks, then by those of the tools. Other names yield an empty identity. Pure; any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/trace/identity.h"

namespace lockstep {

// Returns the identity from a path. The confidence is `stated` if a scheme of a known tool matches, and
// `guessed` if only a word such as "rank3" was found. It is always `guessed` for hosts, because a file name
// must not cause two clocks to be merged. The capture index of "x.2.nsys-rep" never becomes a step.
Identity identityFromPath(const std::filesystem::path& path);

// Returns the file name without container suffixes: "a.2" for "a.2.nsys-rep", "x.pt.trace" for
// "x.pt.trace.json.gz".
std::string_view fileStem(std::string_view fileName);

// Returns the normalized spelling of a role or stage: lower case, '_' instead of '-', and the role
// that the recipes give for a word, e.g. critic for value_model.
std::string normalizedRole(std::string_view word);

} // namespace lockstep
