// SPDX-License-Identifier: Apache-2.0
// ProcessSteps: the training steps of one process, to be asked for the one that a moment lies in. Made from a
// report by whoever counts slices step by step; a value, any thread.
#pragma once

#include <vector>

#include "core/align/step_markers.h"

namespace lockstep {

class ProcessSteps {
  public:
    ProcessSteps() = default;
    ProcessSteps(const Report& report, ProcessId process);

    const std::vector<StepMark>& marks() const { return m_marks; } // by begin
    // Into marks(); of several the one that began last; -1: none.
    int at(TraceTime t) const;

  private:
    std::vector<StepMark> m_marks;
    std::vector<int64_t> m_lastEnd; // of the marks up to each
};

// When a step meant the slice to happen: where it was launched, else where it began.
TraceTime meantTime(const Report& report, SliceId slice);

} // namespace lockstep
