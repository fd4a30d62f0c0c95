// SPDX-License-Identifier: Apache-2.0
// ProcessSteps: finds the training step of a process at a given time. Created from a report by code that
// assigns slices to steps. Value type. Thread: any.
#pragma once

#include <vector>

#include "core/align/step_markers.h"

namespace lockstep {

class ProcessSteps {
  public:
    ProcessSteps() = default;
    ProcessSteps(const Report& report, ProcessId process);

    const std::vector<StepMark>& marks() const { return m_marks; } // sorted by start
    // Returns an index in marks(). If several marks contain t, returns the one that began last; if none does,
    // returns -1.
    int at(TraceTime t) const;

  private:
    std::vector<StepMark> m_marks;
    std::vector<int64_t> m_lastEnd; // for each mark, the latest end of this mark and all earlier ones
};

// Returns the time that determines a slice's step: its launch if recorded, otherwise its start.
TraceTime stepReferenceTime(const Report& report, SliceId slice);

} // namespace lockstep
