// SPDX-License-Identifier: Apache-2.0
#include "tests/support/table_text.h"

#include <QtGlobal>

#include "core/analysis/table_header.h"

namespace lockstep::test {

std::string tableText(const Table& table)
{
    std::string out;
    for (size_t column = 0; column < table.columnCount(); ++column) {
        out += (column > 0 ? " | " : "") + fileHeader(table, column);
    }
    out += '\n';
    for (size_t row = 0; row < table.rowCount(); ++row) {
        for (size_t column = 0; column < table.columnCount(); ++column) {
            out += (column > 0 ? " | " : "") + table.cell(column, row);
        }
        out += '\n';
    }
    return out;
}

std::vector<std::string> columnCells(const Table& table, std::string_view column)
{
    const size_t at = table.columnNamed(column);
    if (at == table.columnCount()) qFatal("no column named %s", std::string(column).c_str());
    std::vector<std::string> cells;
    for (size_t row = 0; row < table.rowCount(); ++row)
        cells.push_back(table.cell(at, row));
    return cells;
}

} // namespace lockstep::test
