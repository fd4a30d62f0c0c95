// SPDX-License-Identifier: Apache-2.0
// AnswerColumns: the cells of a query's answer until all are there: SQLite types cells, tables type columns.
// Filled row by row, then made into a Table once. One thread.
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

    // A cell of the row that endRow() ends.
    void add(size_t column, const SqlValue& value);
    void endRow() { ++m_rows; }

    uint64_t rowCount() const { return m_rows; }
    uint64_t bytes() const;
    // sliceColumn: whose cells are slice ids; names.size(): none.
    Table table(std::string name, std::string title, size_t sliceColumn, const SqlScene& scene) const;

  private:
    struct Cells {
        std::vector<SqlType> types;
        std::vector<int64_t> bits; // the integer, the real's bits, the text's id
    };
    TableColumn described(size_t column) const;
    std::string textOf(size_t column, size_t row) const;

    std::vector<std::string> m_names;
    std::vector<Cells> m_cells;
    StringPool m_texts;
    uint64_t m_rows = 0;
};

} // namespace lockstep
