// SPDX-License-Identifier: Apache-2.0
// Writes tables as GitHub-flavored Markdown: the title is a heading, numbers are right-aligned, and Markdown
// syntax in cells is escaped.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

// Returns a string as a one-line table cell without active markup, links or images.
std::string markdownCell(std::string_view text);
std::unique_ptr<DocumentWriter> markdownWriter(const WriteOptions& options, const TextSink& sink);

} // namespace lockstep
