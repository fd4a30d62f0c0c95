// SPDX-License-Identifier: Apache-2.0
// Derives an identity from the names of a report file and its folders. Names are parsed by a table of small
// matchers, one per naming scheme of a tool; other names yield an empty identity. Pure; any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/trace/identity.h"

namespace lockstep {

// One file naming scheme. `stem` is the file name without its container suffixes (.gz, .json, .nsys-rep,
// ...).
struct FileNaming {
    std::string_view name;    // name of the scheme, as in Sourced::source: "file name (verl torch)"
    std::string_view example; // a stem that matches
    bool (*match)(std::string_view stem, std::string_view source, Identity& out);
};

// Returns the schemes in the order in which they are tried; the first one that matches is used.
std::span<const FileNaming> fileNamings();

// Returns the identity from a path. The confidence is `stated` if a scheme of a known tool matches, and
// `guessed` if only a word such as "rank3" was found. It is always `guessed` for hosts, because a file name
// must not cause two clocks to be merged. The capture index of "x.2.nsys-rep" never becomes a step.
Identity identityFromPath(const std::filesystem::path& path);

// Returns the file name without container suffixes: "a.2" for "a.2.nsys-rep", "x.pt.trace" for
// "x.pt.trace.json.gz".
std::string_view fileStem(std::string_view fileName);

// Returns the normalized spelling of a role or stage: lower case, '_' instead of '-', and verl's roles
// instead of its model types (critic for value-model and value_model). Other words are unchanged.
std::string normalizedRole(std::string_view word);

} // namespace lockstep
