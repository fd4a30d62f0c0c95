// SPDX-License-Identifier: Apache-2.0
// Examines a capture file (.lsc, capture/format/FORMAT.md) on this node. The file may be complete with its
// index, still being written, or left behind by a process that has ended. Reads the file; any thread.
#pragma once

#include "capture/agent/report_scan.h"

namespace lockstep::agent {

// Returns true if a process with this ID runs on this node. Invalid IDs return false.
bool runsHere(int64_t pid);

// Sets kind, isComplete, reason, isFlushing, writer, isFinal, step and exitStatus of a report whose path is
// known. A full examination checks the checksum of every block, at some GB/s.
void examineSpool(FoundReport& report, Examination examination);

} // namespace lockstep::agent
