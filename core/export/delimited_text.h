// SPDX-License-Identifier: Apache-2.0
// CSV (RFC 4180 quoting, lines end in a single newline) and TSV (tab, newline, carriage return and backslash
// inside a cell are written \t, \n, \r and \\). Cells are spreadsheetText().
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

enum class Delimiter : uint8_t { comma, tab };

// Comment lines of the options come first, each behind "# " (csv only).
std::unique_ptr<DocumentWriter> delimitedTextWriter(Delimiter delimiter, const WriteOptions& options,
                                                    const TextSink& sink);

// Whether a spreadsheet would compute the cell instead of showing it: it begins with '=', '+', '-', '@' or a
// tab, and is not a number.
bool startsFormula(std::string_view cell);
// The text as a spreadsheet may have it: an apostrophe precedes what would be a formula, and control
// characters other than '\n' and '\t' are spelled as on a terminal, see printable().
std::string spreadsheetText(std::string_view text);
// A cell as CSV: quoted when it holds a comma, a quote, a line end, or a space or '#' where it begins or
// ends.
std::string csvCell(std::string_view text);

} // namespace lockstep
