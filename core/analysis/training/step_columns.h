// SPDX-License-Identifier: Apache-2.0
// StepColumns: the StepTimes columns shared by all tables with steps: wall time, phases, time outside all
// phases, device work and bubbles. Created by an analysis for its table.
#pragma once

#include "core/analysis/table.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

// Add an integer column, or a time column in ns, with its doc. Both return the column's position.
size_t addStepCount(Table& table, const char* name, std::string doc);
size_t addStepTime(Table& table, const char* name, std::string doc);

class StepColumns {
  public:
    explicit StepColumns(Table& table);
    // Sets the cells in the last row. Cells for a missing phase or device remain empty.
    void set(Table& table, const StepTimes& times) const;

  private:
    size_t m_wall, m_phases, m_outside, m_overlap, m_open;
    size_t m_deviceWall, m_busy, m_compute, m_exposedCommunication, m_exposedCopies, m_bubble, m_bubbleShare;
    size_t m_communication, m_copies;
};

} // namespace lockstep
