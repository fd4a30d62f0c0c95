// SPDX-License-Identifier: Apache-2.0
// AgentProgram holds the two files that Lockstep copies to hosts, its agent and its capture library. Loaded
// once before a run starts, used by AgentClient. Immutable; any thread.
#pragma once

#include <filesystem>
#include <string>

#include <QByteArray>

#include "core/base/result.h"

namespace lockstep {

// Contents and digests of both files. Copies of the struct share the bytes.
struct AgentProgram {
    QByteArray bytes;
    std::string sha256;
    QByteArray library = {}; // liblockstep_capture.so; empty if this machine does not have it
    std::string librarySha256 = {};
};
// Paths of both files on this machine. The library is empty if this machine does not have it; the agent may
// not exist.
struct AgentProgramFiles {
    std::filesystem::path agent, library;
};
// Looks for the files without reading them.
AgentProgramFiles findAgentProgramFiles();
// Loads the agent from LOCKSTEP_AGENT, by default next to this program. Loads the library from
// LOCKSTEP_CAPTURE_LIBRARY, by default next to this program or in ../lib. Reads both files completely, so do
// not call this function on the UI thread. Errors: notFound if there is no agent; io.
Result<AgentProgram> findAgentProgram();

} // namespace lockstep
