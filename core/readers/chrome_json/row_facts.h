// SPDX-License-Identifier: Apache-2.0
// Facts of rows of a trace file, read again in one walk from the first of a page to the last, in the order in
// which they stand in the text, whether it is compressed or not.
#pragma once

#include "core/trace/row_facts.h"

namespace lockstep {

// See openRowFacts(). PyTorch states shared memory as one sum, which is neither of the facts there are.
Result<std::unique_ptr<RowFactReader>> openChromeFacts(const Report& report);

} // namespace lockstep
