// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_columns.h"

#include "core/analysis/duration_statistics.h"

namespace lockstep {

size_t addStepCount(Table& table, const char* name, std::string doc)
{
    return table.addColumn({name, "", ColumnType::integer, 0, std::move(doc)});
}

size_t addStepTime(Table& table, const char* name, std::string doc)
{
    return table.addColumn({name, "ns", ColumnType::time, 0, std::move(doc)});
}

std::vector<StepTimeColumn> stepTimeColumns()
{
    std::vector<StepTimeColumn> columns;
    const auto time = [&](std::string_view name, auto value, std::string doc) {
        columns.push_back({{std::string(name), "ns", ColumnType::time, 0, std::move(doc)}, value});
    };
    const auto ofDevice = [&](const char* name, auto value, const char* doc) {
        time(
            name,
            [value](const StepTimes& times) {
                return times.hasDevice ? std::optional(std::invoke(value, times)) : std::nullopt;
            },
            doc);
    };
    time("wall", &StepTimes::wall_ns,
         "duration of the step, summed over its parts; all phases and outside add up to it");
    for (size_t i = 0; i < kRlPhases; ++i) {
        const auto phase = static_cast<RlPhase>(i);
        time(
            rlPhaseName(phase), [i](const StepTimes& times) { return times.phase_ns[i]; },
            "part of wall in ranges named " + std::string(rlPhaseDoc(phase)) +
                "; a moment in several phases counts for the one that "
                "began last; empty if there is no such range");
    }
    time("outside", &StepTimes::outside_ns, "the rest of wall: outside of all phase ranges");
    time("overlap", &StepTimes::overlap_ns,
         "time in two or more different phases; counted once in the phases, so not part of the sum");
    columns.push_back({{"open", "", ColumnType::integer, 0,
                        "phases that began here and were never closed; the rules define where they end"},
                       &StepTimes::openRanges});
    ofDevice("device_wall", &StepTimes::deviceWall_ns,
             "wall of the parts whose process uses a device; busy and bubble add up to it");
    ofDevice("busy", &StepTimes::busy_ns,
             "union of kernels, copies, memsets and whole graphs on any device of the "
             "process; compute, exposed_communication and exposed_copies add up to it");
    ofDevice("compute", &StepTimes::compute_ns,
             "union of kernels that do not communicate, and of whole graphs");
    ofDevice("exposed_communication", &StepTimes::exposedCommunication_ns,
             "communication that does not overlap computation");
    ofDevice("exposed_copies", &StepTimes::exposedCopies_ns,
             "copies and memsets that overlap neither computation nor communication");
    ofDevice("bubble", &StepTimes::bubble_ns, "device_wall minus busy: no work on the devices");
    ofDevice(
        "bubble_pctg",
        [](const StepTimes& times) {
            return roundedQuotient(__int128(times.bubble_ns()) * 10'000, times.deviceWall_ns);
        },
        "bubble as a share of device_wall");
    columns.back().column.unit.clear();
    columns.back().column.type = ColumnType::percent;
    columns.back().column.decimals = 2;
    ofDevice("communication", &StepTimes::communication_ns, "union of communication, overlapped or not");
    ofDevice("copies", &StepTimes::copies_ns, "union of copies and memsets, overlapped or not");
    return columns;
}

} // namespace lockstep
