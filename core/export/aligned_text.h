// SPDX-License-Identifier: Apache-2.0
// Writes tables as text for a terminal, with a title and aligned columns. Thousands are grouped by commas as
// in nsys stats, and long cells are shortened in the middle. A table too wide for any screen is written as
// one block of "name value" lines per row.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

std::unique_ptr<DocumentWriter> alignedTextWriter(const WriteOptions& options, const TextSink& sink);

} // namespace lockstep
