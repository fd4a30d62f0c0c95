// SPDX-License-Identifier: Apache-2.0
// StepColumns: the columns of StepTimes that all tables of steps share: wall time, phases, what lies in none,
// device work and bubble. Made by an analysis for its table.
#pragma once

#include "core/analysis/table.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

// A whole number, and a time in ns, with their doc. Return the column's position.
size_t addStepCount(Table& table, const char* name, std::string doc);
size_t addStepTime(Table& table, const char* name, std::string doc);

class StepColumns {
  public:
    explicit StepColumns(Table& table);
    // Of the last row. What is of no phase, or without a device, stays empty.
    void set(Table& table, const StepTimes& times) const;

  private:
    size_t m_wall, m_phases, m_outside, m_overlap, m_open;
    size_t m_deviceWall, m_busy, m_compute, m_exposedCommunication, m_exposedCopies, m_bubble, m_bubbleShare;
    size_t m_communication, m_copies;
};

} // namespace lockstep
