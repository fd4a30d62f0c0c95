// SPDX-License-Identifier: Apache-2.0
// Tables for people at a terminal: a title, aligned columns, thousands grouped by commas as nsys stats does,
// long texts shortened in the middle. A table too wide for any screen is written as one block of "name value"
// lines per row.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

std::unique_ptr<DocumentWriter> alignedTextWriter(const WriteOptions& options, const TextSink& sink);

} // namespace lockstep
