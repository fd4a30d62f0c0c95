// SPDX-License-Identifier: Apache-2.0
// Reads facts of the rows of a capture, block by block in file order. Each block is decompressed once per
// page.
#pragma once

#include "core/trace/row_facts.h"

namespace lockstep {

// See openRowFacts(). Values that an earlier writer did not record are absent.
Result<std::unique_ptr<RowFactReader>> openSpoolFacts(const Report& report);

} // namespace lockstep
