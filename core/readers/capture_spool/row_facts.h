// SPDX-License-Identifier: Apache-2.0
// Facts of rows of a capture, block by block in the file's order; each block is unpacked once a page.
#pragma once

#include "core/trace/row_facts.h"

namespace lockstep {

// See openRowFacts(). What an earlier writer did not record is absent.
Result<std::unique_ptr<RowFactReader>> openSpoolFacts(const Report& report);

} // namespace lockstep
