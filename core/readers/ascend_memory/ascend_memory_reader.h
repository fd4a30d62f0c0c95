// SPDX-License-Identifier: Apache-2.0
// Reader of the memory files of Ascend's PyTorch profiler (ASCEND_PROFILER_OUTPUT): operator_memory.csv, a
// line an allocation with its operator, size and life, and memory_record.csv, the totals of each component
// over time. Their column names are what they are known by. Safe on any thread.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader ascendMemoryReader();

// The same for a text in memory. provenance.path names the file in errors and says what device or rank it is.
Result<std::unique_ptr<Report>> readAscendMemory(std::string_view text, const Provenance& provenance,
                                                 const Progress& progress);

} // namespace lockstep
