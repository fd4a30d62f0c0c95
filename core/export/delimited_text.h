// SPDX-License-Identifier: Apache-2.0
// CSV (RFC 4180 quoting, lines end in a single newline) and TSV (tab, newline, carriage return and backslash
// inside a cell are written \t, \n, \r and \\).
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

enum class Delimiter : uint8_t { comma, tab };

// Comment lines of the options come first, each behind "# " (csv only).
std::unique_ptr<DocumentWriter> delimitedTextWriter(Delimiter delimiter, const WriteOptions& options,
                                                    const TextSink& sink);

// A cell as CSV: quoted when it holds a comma, a quote, a line end, or a space or '#' where it begins or
// ends.
std::string csvCell(std::string_view text);

} // namespace lockstep
