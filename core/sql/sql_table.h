// SPDX-License-Identifier: Apache-2.0
// SqlTable is one table in the query language: its documented columns, and how to iterate over its rows.
// sqlTables() lists all tables for the database, the documentation and auto-completion. Rows are not copied:
// a pass reads the columns of the reports. Thread: one per pass.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/analysis/table.h"
#include "core/base/progress.h"

namespace lockstep {

class SqlScene;

enum class SqlType : uint8_t { null, integer, real, text };

// SqlValue is a cell. A string in it is valid as long as the SqlScene.
struct SqlValue {
    SqlType type = SqlType::null;
    int64_t integer = 0;
    double real = 0;
    std::string_view text;

    static SqlValue none() { return {}; }
    static SqlValue of(int64_t value) { return {SqlType::integer, value, 0, {}}; }
    static SqlValue ofReal(double value) { return {SqlType::real, 0, value, {}}; }
    static SqlValue of(std::string_view value) { return {SqlType::text, 0, 0, value}; }
    // Returns NULL for an empty string, because in files an empty string stands for a value that was not
    // recorded.
    static SqlValue ofNonEmpty(std::string_view value) { return value.empty() ? none() : of(value); }
};

// SqlKey specifies which rows a pass may skip because of a condition. The database checks every condition
// again, so a pass may return too many rows, but never too few.
enum class SqlKey : uint8_t { none, id, report, rank, track, start, end, name, cause, effect };

struct SqlColumn {
    std::string_view name;
    SqlType type = SqlType::integer;
    std::string_view unit; // "ns", "bytes"; empty for IDs, strings and counts
    std::string_view doc;
    SqlKey key = SqlKey::none;
    uint8_t field = 0; // number by which the table itself identifies the column
    ColumnMeaning meaning = ColumnMeaning::other;
};

enum class SqlOperator : uint8_t { equal, less, atMost, greater, atLeast };

struct SqlCondition {
    SqlKey key = SqlKey::none;
    SqlOperator is = SqlOperator::equal;
    SqlValue value; // the column is never NULL
};

// SqlRows is one pass over a table.
class SqlRows {
  public:
    SqlRows() = default;
    SqlRows(const SqlRows&) = delete;
    SqlRows& operator=(const SqlRows&) = delete;
    virtual ~SqlRows() = default;

    // Moves to the first row, then to the next. Returns false after the last row, or if the job was canceled.
    virtual bool next() = 0;
    // Returns the value of a column in the current row.
    virtual SqlValue value(const SqlColumn& column) const = 0;
    virtual int64_t rowId() const = 0;
};

struct SqlTable {
    std::string_view name;
    std::string_view doc; // one sentence
    std::span<const SqlColumn> columns;
    // Opens a pass. groupedByName: rows with the same name must be adjacent, with names in ascending byte
    // order.
    std::unique_ptr<SqlRows> (*open)(const SqlTable& table, const SqlScene& scene,
                                     std::span<const SqlCondition> conditions, bool groupedByName,
                                     const Progress& progress);
    double (*rowCount)(const SqlScene& scene); // estimated number of rows
    double mostGrouped = 0;                    // maximum number of rows that the table can group by name; 0:
                                               // the table does not support grouping
};

// Returns all tables in documentation order.
std::span<const SqlTable> sqlTables();

// Returns the column of a table, or nullptr.
const SqlColumn* findSqlColumn(std::string_view table, std::string_view column);

// Returns the SQL type name: "INTEGER", "REAL" or "TEXT".
std::string_view sqlTypeName(SqlType type);

// Returns a readable list of all tables and columns with type, unit and meaning.
std::string sqlSchemaText();

} // namespace lockstep
