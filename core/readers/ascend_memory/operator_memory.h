// SPDX-License-Identifier: Apache-2.0
// Reads operator_memory.csv: allocations of the NPU's caching allocator, each with its operator and lifetime.
#pragma once

#include "core/base/progress.h"
#include "core/readers/ascend_memory/csv_lines.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Adds memory blocks, and counters of the recorded totals, to the report. A block without an allocation time
// existed before the recording, and one without a release time remains until the end of the recording. Lines
// with neither are counted and omitted. Sizes are rounded to KB in the file. The only possible error is
// ErrorKind::canceled.
Status fillFromOperators(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                         const Progress& progress);

// Parses a time cell. Returns nullopt for "N/A", empty cells and anything else that is not a number.
std::optional<int64_t> ascendTime_ns(std::string_view microseconds);
// Returns number * unit_bytes, rounded.
std::optional<int64_t> ascendSize_bytes(std::string_view number, int64_t unit_bytes);
// Returns 0 for "NPU:0", or -1 if no number is given.
int32_t ascendOrdinal(std::string_view deviceType);

} // namespace lockstep
