// SPDX-License-Identifier: Apache-2.0
// memory_record.csv: the totals of components (PTA: PyTorch's allocator on the NPU, GE: the graph engine,
// APP: the whole process as the driver sees it) over time, without allocations.
#pragma once

#include "core/readers/ascend_memory/operator_memory.h"

namespace lockstep {

// Gives the report its memory, areas of components, and a counter of each total. PTA+GE, a sum, and APP,
// which holds the others, are counters alone: as areas they would count twice. canceled is the only error.
Status fillFromComponents(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                          const Progress& progress);

} // namespace lockstep
