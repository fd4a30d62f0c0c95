// SPDX-License-Identifier: Apache-2.0
// StepLines: the output lines of one command that contain a training step number, from the event log of the
// host, and the resulting slices. The marker of a line determines whether it begins or ends a step
// (event_log.h); guesses are never drawn. Created by EventLogRows. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/import_notes.h"

namespace lockstep {

struct StepLine {
    enum class Mark : uint8_t { unknown, begins, ends };

    int64_t time_ns = 0; // time at which the line was printed, on the node's wall clock
    int64_t step = 0;    // 0 or more
    Mark mark = Mark::unknown;
    uint64_t row = 0; // zero-based line number in the log
};

struct StepSlice {
    int64_t start_ns = 0, end_ns = 0;
    std::string name; // "step 3", or "steps 4-6" if the lines in between are missing
    uint64_t row = 0; // number of the log line from which the slice comes
};

class StepLines {
  public:
    void take(const StepLine& line) { m_lines.push_back(line); }
    bool isEmpty() const { return m_lines.empty(); }
    // Sets the end of the command; open steps extend to this time.
    void endAt(int64_t time_ns) { m_end_ns = time_ns; }
    // Returns the slices in log order. Missing, duplicate, out-of-order and ambiguous lines are counted in
    // notes. `last_ns` is the last timestamp of the log, for a command that is still running. O(lines).
    std::vector<StepSlice> slices(int64_t last_ns, ImportNotes& notes) const;

  private:
    std::vector<StepLine> m_lines; // in log order
    std::optional<int64_t> m_end_ns;
};

} // namespace lockstep
