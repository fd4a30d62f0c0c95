// SPDX-License-Identifier: Apache-2.0
// AgentProgram: the two files that Lockstep puts on hosts, its agent and its capture library, as they lie on
// this machine. Found once by who starts a run, read by AgentClient. Immutable; any thread.
#pragma once

#include <filesystem>
#include <string>

#include <QByteArray>

#include "core/base/result.h"

namespace lockstep {

// What is put on the hosts, as it is on this machine, with digests. All copies share the bytes.
struct AgentProgram {
    QByteArray bytes;
    std::string sha256;
    QByteArray library = {}; // liblockstep_capture.so; empty where this machine has none
    std::string librarySha256 = {};
};
// The agent beside this program, else LOCKSTEP_AGENT; the library beside it or in ../lib, else
// LOCKSTEP_CAPTURE_LIBRARY. Reads all of both: not on the UI thread. notFound, io: of the agent alone.
Result<AgentProgram> findAgentProgram();

} // namespace lockstep
