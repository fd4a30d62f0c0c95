// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_columns.h"

#include "core/analysis/duration_statistics.h"

namespace lockstep {

namespace {

size_t addPhaseColumns(Table& table)
{
    const size_t first = table.columnCount();
    for (size_t i = 0; i < kRlPhases; ++i) {
        const auto phase = static_cast<RlPhase>(i);
        addStepTime(table, std::string(rlPhaseName(phase)).c_str(),
                    "part of wall in ranges named " + std::string(rlPhaseDoc(phase)) +
                        "; a moment in several phases counts for the one that "
                        "began last; empty if there is no such range");
    }
    return first;
}

} // namespace

size_t addStepCount(Table& table, const char* name, std::string doc)
{
    return table.addColumn({name, "", ColumnType::integer, 0, std::move(doc)});
}

size_t addStepTime(Table& table, const char* name, std::string doc)
{
    return table.addColumn({name, "ns", ColumnType::time, 0, std::move(doc)});
}

StepColumns::StepColumns(Table& table)
    : m_wall(addStepTime(table, "wall",
                         "duration of the step, summed over its parts; all phases and outside add up to it")),
      m_phases(addPhaseColumns(table)),
      m_outside(addStepTime(table, "outside", "the rest of wall: outside of all phase ranges")),
      m_overlap(addStepTime(
          table, "overlap",
          "time in two or more different phases; counted once in the phases, so not part of the sum")),
      m_open(addStepCount(table, "open",
                          "phases that began here and were never closed; the rules define where they end")),
      m_deviceWall(
          addStepTime(table, "device_wall",
                      "wall of the parts whose process uses a device; busy and bubble add up to it")),
      m_busy(addStepTime(table, "busy",
                         "union of kernels, copies, memsets and whole graphs on any device of the "
                         "process; compute, exposed_communication and exposed_copies add up to it")),
      m_compute(
          addStepTime(table, "compute", "union of kernels that do not communicate, and of whole graphs")),
      m_exposedCommunication(
          addStepTime(table, "exposed_communication", "communication that does not overlap computation")),
      m_exposedCopies(addStepTime(table, "exposed_copies",
                                  "copies and memsets that overlap neither computation nor communication")),
      m_bubble(addStepTime(table, "bubble", "device_wall minus busy: no work on the devices")),
      m_bubbleShare(
          table.addColumn({"bubble_pctg", "", ColumnType::percent, 2, "bubble as a share of device_wall"})),
      m_communication(addStepTime(table, "communication", "union of communication, overlapped or not")),
      m_copies(addStepTime(table, "copies", "union of copies and memsets, overlapped or not"))
{
}

void StepColumns::set(Table& table, const StepTimes& times) const
{
    table.setNumber(m_wall, times.wall_ns);
    for (size_t i = 0; i < kRlPhases; ++i) {
        if (times.phase_ns[i]) table.setNumber(m_phases + i, *times.phase_ns[i]);
    }
    table.setNumber(m_outside, times.outside_ns);
    table.setNumber(m_overlap, times.overlap_ns);
    table.setNumber(m_open, times.openRanges);
    if (!times.hasDevice) return;
    table.setNumber(m_deviceWall, times.deviceWall_ns);
    table.setNumber(m_busy, times.busy_ns);
    table.setNumber(m_compute, times.compute_ns);
    table.setNumber(m_exposedCommunication, times.exposedCommunication_ns);
    table.setNumber(m_exposedCopies, times.exposedCopies_ns);
    table.setNumber(m_bubble, times.bubble_ns());
    table.setNumber(m_bubbleShare,
                    roundedQuotient(__int128(times.bubble_ns()) * 10'000, times.deviceWall_ns));
    table.setNumber(m_communication, times.communication_ns);
    table.setNumber(m_copies, times.copies_ns);
}

} // namespace lockstep
