// SPDX-License-Identifier: Apache-2.0
// operator_memory.csv: allocations of the NPU's caching allocator, each with its operator and its life.
#pragma once

#include "core/base/progress.h"
#include "core/readers/ascend_memory/csv_lines.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Gives the report its memory and counters of what the file states in all. A line without an allocation time
// was there before the recording, one without a release stays to its end; of those that have neither nothing
// can be shown: they are counted. Sizes are as the file rounds them, in KB. canceled
// is the only error.
Status fillFromOperators(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                         const Progress& progress);

// Cells as Ascend writes them. Empty for "N/A", nothing, and what is no number.
std::optional<int64_t> ascendTime_ns(std::string_view microseconds);
// number * unit_bytes, rounded.
std::optional<int64_t> ascendSize_bytes(std::string_view number, int64_t unit_bytes);
// "NPU:0" -> 0; -1 for what names none.
int32_t ascendOrdinal(std::string_view deviceType);

} // namespace lockstep
