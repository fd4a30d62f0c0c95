// SPDX-License-Identifier: Apache-2.0
// Reader of the memory files of Ascend's PyTorch profiler (ASCEND_PROFILER_OUTPUT): operator_memory.csv, with
// one line per allocation (operator, size, lifetime), and memory_record.csv, with the totals of each
// component over time. Recognized by column names. Any thread.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader ascendMemoryReader();

} // namespace lockstep
