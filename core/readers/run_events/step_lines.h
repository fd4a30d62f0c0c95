// SPDX-License-Identifier: Apache-2.0
// StepLines: the lines of one command's output that name a training step, as its host's event log has them,
// and the slices that they mean. A line begins its step or ends it, which the sign tells (event_log.h); a
// guess is nowhere drawn. Made by EventLogRows. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/import_notes.h"

namespace lockstep {

struct StepLine {
    enum class Mark : uint8_t { unknown, begins, ends };

    int64_t time_ns = 0; // when it was printed; the node's wall clock
    int64_t step = 0;    // 0 or more
    Mark mark = Mark::unknown;
    uint64_t row = 0; // of the log, counted from 0
};

struct StepSlice {
    int64_t start_ns = 0, end_ns = 0;
    std::string name; // "step 3", "steps 4-6" where the lines between are missing
    uint64_t row = 0; // of the line that tells it
};

class StepLines {
  public:
    void take(const StepLine& line) { m_lines.push_back(line); }
    bool isEmpty() const { return m_lines.empty(); }
    // When its command ended; what is open lasts until then.
    void endAt(int64_t time_ns) { m_end_ns = time_ns; }
    // In the order of the log; what is missing, doubled, out of order or not said is counted in notes.
    // last_ns: the log's last stamp, for a command that goes on. O(lines).
    std::vector<StepSlice> slices(int64_t last_ns, ImportNotes& notes) const;

  private:
    std::vector<StepLine> m_lines; // in the order of the log
    std::optional<int64_t> m_end_ns;
};

} // namespace lockstep
