// SPDX-License-Identifier: Apache-2.0
// Protects existing files from the outputs of commands: every command that takes --output or --screenshot
// checks its target here before it does any work. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "app/cli.h"
#include "core/base/result.h"

namespace lockstep {

enum class OutputKind : uint8_t { document, workspace, session };

// Refuses, whatever --force says, an output that is one of the inputs: the same file under any name, symbolic
// and hard links included. Unless forced it also refuses to replace a report, a trace, a session, a script,
// or with a workspace anything but a workspace. invalid: the reason and the remedy; nothing was changed.
Status checkOutputTarget(const std::filesystem::path& output, OutputKind kind,
                         std::span<const std::filesystem::path> inputs, bool isForced);

// The files that the command line names as inputs; folders are not traversed.
std::vector<std::filesystem::path> namedInputs(const CommandLine& line);
// checkOutputTarget() for the one file that the command line names as its output, if it names one.
Status checkNamedOutput(const CommandLine& line);

// Keeps an older workspace that a new one is about to replace as NAME.1, NAME.2, ..., where something of it
// would be lost: its notes, or its reports where the new one has none. Returns that path, or an empty one.
// The file keeps its own name too until the new one replaces it. io.
Result<std::filesystem::path> keepOldWorkspace(const std::filesystem::path& output, bool hasReports);

} // namespace lockstep
