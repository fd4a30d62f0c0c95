// SPDX-License-Identifier: Apache-2.0
// Protects existing files from being overwritten by commands: every command that takes --output or
// --screenshot checks its target here before it does any work. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "app/cli/cli.h"
#include "core/base/result.h"

namespace lockstep {

enum class OutputKind : uint8_t { document, workspace, session };

// Rejects an output that is one of the inputs, even with --force. Files are compared by identity, so symbolic
// and hard links count as the same file. Unless forced, also rejects an output that would replace a report, a
// trace, a session or a script. A workspace may only replace a workspace unless forced. Error: invalid (the
// reason and the remedy); nothing was changed.
Status checkOutputTarget(const std::filesystem::path& output, OutputKind kind,
                         std::span<const std::filesystem::path> inputs, bool isForced);

// Returns the files that are given as inputs on the command line; folders are not traversed.
std::vector<std::filesystem::path> namedInputs(const CommandLine& line);
// Calls checkOutputTarget() for the output file of the command line, if the output is a file.
Status checkNamedOutput(const CommandLine& line);

// Keeps an older workspace as NAME.1, NAME.2, ... if replacing it would lose notes, or if it contains reports
// and the new workspace has none. Returns the path under which it is kept, or an empty path. The older
// workspace also keeps its own name until the new workspace replaces it. Error: io.
Result<std::filesystem::path> backUpWorkspace(const std::filesystem::path& output, bool hasReports);

} // namespace lockstep
