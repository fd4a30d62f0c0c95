// SPDX-License-Identifier: Apache-2.0
// Reads facts of the rows of a trace file. Reads each page of rows in one pass from the first row to the
// last, in text order, for compressed and uncompressed files.
#pragma once

#include "core/trace/row_facts.h"

namespace lockstep {

// See openRowFacts(). PyTorch records shared memory only as one total, which does not correspond to any of
// the shared-memory values.
Result<std::unique_ptr<RowFactReader>> openChromeFacts(const Report& report);

} // namespace lockstep
