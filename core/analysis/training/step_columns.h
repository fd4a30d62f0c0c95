// SPDX-License-Identifier: Apache-2.0
// The StepTimes columns shared by all tables with steps: wall time, phases, time outside all phases, device
// work and bubbles.
#pragma once

#include "core/analysis/table_columns.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

// Add an integer column, or a time column in ns, with its doc. Both return the column's position.
size_t addStepCount(Table& table, const char* name, std::string doc);
size_t addStepTime(Table& table, const char* name, std::string doc);

struct StepTimeColumn {
    TableColumn column;
    // Returns nullopt for a missing phase or device.
    std::function<std::optional<int64_t>(const StepTimes& times)> value;
};

std::vector<StepTimeColumn> stepTimeColumns();

// Adds the columns of the row's member `times`.
template<class Row>
void addStepTimes(TableColumns<Row>& columns)
{
    for (const StepTimeColumn& each : stepTimeColumns())
        columns.add([value = each.value](const Row& row) { return value(row.times); }, each.column);
}

} // namespace lockstep
