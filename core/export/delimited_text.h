// SPDX-License-Identifier: Apache-2.0
// Writes tables as CSV (quoted as in RFC 4180, lines end in a single newline) or TSV (tab, newline, carriage
// return and backslash inside a cell are written as \t, \n, \r and \\). Cells are converted by
// spreadsheetText().
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

enum class Delimiter : uint8_t { comma, tab };

// Creates a writer. The document starts with the comment lines from the options, each prefixed with "# " (CSV
// only).
std::unique_ptr<DocumentWriter> delimitedTextWriter(Delimiter delimiter, const WriteOptions& options,
                                                    const TextSink& sink);

// Returns true if a spreadsheet would evaluate the cell instead of showing it: it begins with '=', '+',
// '-', '@' or a tab, and is not a number.
bool startsFormula(std::string_view cell);
// Makes text safe for spreadsheets. An apostrophe is inserted before a formula; control characters other than
// '\n' and '\t' are escaped as for a terminal, see printable().
std::string spreadsheetText(std::string_view text);
// Returns a CSV cell: quoted if it contains a comma, quote or line end, or begins or ends with a space or
// '#'.
std::string csvCell(std::string_view text);

} // namespace lockstep
