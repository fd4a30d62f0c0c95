// SPDX-License-Identifier: Apache-2.0
// Reads memory_record.csv, which contains the totals of components over time, but no allocations (PTA:
// PyTorch's allocator on the NPU, GE: the graph engine, APP: the whole process as seen by the driver).
#pragma once

#include "core/readers/ascend_memory/operator_memory.h"

namespace lockstep {

// Adds the memory of each component as an area, and a counter for each total, to the report. PTA+GE (a sum)
// and APP (which includes the others) become counters only, because as areas they would count twice. The only
// possible error is ErrorKind::canceled.
Status fillFromComponents(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                          const Progress& progress);

} // namespace lockstep
