// SPDX-License-Identifier: Apache-2.0
// Tables as GitHub-flavoured Markdown: a heading with the title, numbers right-aligned, characters that
// Markdown reads as marks escaped.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

std::unique_ptr<DocumentWriter> markdownWriter(const WriteOptions& options, const TextSink& sink);

} // namespace lockstep
