// SPDX-License-Identifier: Apache-2.0
// Examination of report files on this node: their kind, and whether they are complete. Reads the files; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/agent/report_scan.h"

namespace lockstep::agent {

// Returns true if a process with this ID runs on this node. Invalid IDs return false.
bool runsHere(int64_t pid);

// Examines a capture file (.lsc, capture/format/FORMAT.md). The file may be complete with its index, still
// being written, or left behind by a process that has ended. Sets kind, isComplete, reason, isFlushing,
// writer, isFinal, step and exitStatus of a report whose path is known. A full examination checks the
// checksum of every block, at some GB/s.
void examineSpool(FoundReport& report, Examination examination);

// JsonClosure finds out whether JSON, given chunk by chunk, is complete: every bracket is closed and only
// whitespace or further values follow. It does not check any other JSON syntax, so it runs at memory speed.
// One thread.
class JsonClosure {
  public:
    void add(std::string_view piece);
    // Also returns true for PyTorch traces with unescaped quotes in names if their last key, "traceName", is
    // at the end.
    bool isClosed() const;

  private:
    int64_t m_depth = 0;
    bool m_isInText = false;
    bool m_isEscaped = false;
    bool m_wasClosed = false; // the nesting depth returned to 0
    bool m_hasMore = false;   // text other than whitespace and values followed
    std::string m_end;        // last bytes of the text
};

} // namespace lockstep::agent
