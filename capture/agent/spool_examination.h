// SPDX-License-Identifier: Apache-2.0
// What a capture spool (.lsc, capture/format/FORMAT.md) on this node says of itself: whole with its index,
// still being written, or left by a process that was ended. Reads the file; any thread.
#pragma once

#include "capture/agent/report_scan.h"

namespace lockstep::agent {

// A file's first bytes are those of a spool.
bool isSpoolHead(std::string_view head);

// A process of this node has that number. Of one that is none, false.
bool runsHere(int64_t pid);

// Sets kind, isComplete, reason, isFlushing, writer and isFinal of a report whose path is known. Checks every
// block's checksum when all is asked for: some GB/s.
void judgeSpool(FoundReport& report, Examination examination);

} // namespace lockstep::agent
