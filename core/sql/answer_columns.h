// SPDX-License-Identifier: Apache-2.0
// AnswerColumns collects the cells of a query result. SQLite types individual cells but tables type whole
// columns, so the column types are chosen at the end. Filled row by row and then converted to a Table.
// Thread: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"
#include "core/base/string_pool.h"
#include "core/sql/sql_scene.h"

namespace lockstep {

class AnswerColumns {
  public:
    explicit AnswerColumns(std::vector<std::string> names);

    // Adds a cell to the current row. endRow() ends the row.
    void add(size_t column, const SqlValue& value);
    void endRow() { ++m_rows; }

    uint64_t rowCount() const { return m_rows; }
    uint64_t bytes() const;
    // Returns the table. sliceColumn: the column that contains slice IDs; names.size() if there is none.
    Table table(std::string name, std::string title, size_t sliceColumn, const SqlScene& scene) const;

  private:
    struct Cells {
        std::vector<SqlType> types;
        std::vector<int64_t> bits; // integer, bit pattern of the real, or ID of the string
    };
    TableColumn described(size_t column) const;
    std::string textOf(size_t column, size_t row) const;

    std::vector<std::string> m_names;
    std::vector<Cells> m_cells;
    StringPool m_texts;
    uint64_t m_rows = 0;
};

} // namespace lockstep
