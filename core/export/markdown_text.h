// SPDX-License-Identifier: Apache-2.0
// Tables as GitHub-flavoured Markdown: a heading with the title, numbers right-aligned, characters that
// Markdown reads as marks escaped.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

// The text as a cell of a table: no markup, link or picture in it has an effect, and it is one line.
std::string markdownCell(std::string_view text);
std::unique_ptr<DocumentWriter> markdownWriter(const WriteOptions& options, const TextSink& sink);

} // namespace lockstep
