// SPDX-License-Identifier: Apache-2.0
// What the name of a report file and the folders above it say about whose it is. Names are read by a table of
// small matchers, one per naming scheme of a tool; a name that fits none says nothing. Pure; any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/trace/identity.h"

namespace lockstep {

// One naming scheme of files. `stem` is the file name without its container suffixes (.gz, .json, .nsys-rep
// ...).
struct FileNaming {
    std::string_view name;    // names the scheme in Sourced::source: "file name (verl torch)"
    std::string_view example; // a stem that fits
    bool (*match)(std::string_view stem, std::string_view source, Identity& out);
};

// In the order they are tried; the first that fits is used.
std::span<const FileNaming> fileNamings();

// Everything the path says. Confidence is `stated` where a scheme of a known tool fits, `guessed` where only
// a word such as "rank3" was found, and always for hosts: a name must not make two clocks one. The capture
// index of "x.2.nsys-rep" never becomes a step.
Identity identityFromPath(const std::filesystem::path& path);

// The file name without container suffixes: "a.2" of "a.2.nsys-rep", "x.pt.trace" of "x.pt.trace.json.gz".
std::string_view fileStem(std::string_view fileName);

// The one spelling of a role or stage: lower case, '-' to '_', verl's model types to their roles (value-model
// and value_model: critic; the rest stays the file's own word).
std::string roleWord(std::string_view word);

} // namespace lockstep
