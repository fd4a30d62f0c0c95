// SPDX-License-Identifier: Apache-2.0
// SqlTable: one table of the query language: its columns with their meaning, and how its rows are gone
// through. The tables are listed once, in sqlTables(); the database, its documentation and its completion go
// by that list. Rows are never copied: a pass reads the columns of the reports. One thread each pass.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/progress.h"

namespace lockstep {

class SqlScene;

enum class SqlType : uint8_t { null, integer, real, text };

// A cell. Texts live as long as the SqlScene.
struct SqlValue {
    SqlType type = SqlType::null;
    int64_t integer = 0;
    double real = 0;
    std::string_view text;

    static SqlValue none() { return {}; }
    static SqlValue of(int64_t value) { return {SqlType::integer, value, 0, {}}; }
    static SqlValue ofReal(double value) { return {SqlType::real, 0, value, {}}; }
    static SqlValue of(std::string_view value) { return {SqlType::text, 0, 0, value}; }
    // Nothing where the text is empty: what a file does not say is NULL.
    static SqlValue said(std::string_view value) { return value.empty() ? none() : of(value); }
};

// What a condition on a column spares a pass: rows that cannot hold it are not looked at. The database checks
// every condition again, so that a pass may give too many rows, never too few.
enum class SqlKey : uint8_t { none, id, report, rank, track, start, end, name, cause, effect };

struct SqlColumn {
    std::string_view name;
    SqlType type = SqlType::integer;
    std::string_view unit; // "ns", "bytes"; empty for ids, words and counts
    std::string_view doc;
    SqlKey key = SqlKey::none;
    uint8_t field = 0; // the table's own number for it
};

enum class SqlOperator : uint8_t { equal, less, atMost, greater, atLeast };

struct SqlCondition {
    SqlKey key = SqlKey::none;
    SqlOperator is = SqlOperator::equal;
    SqlValue value; // never NULL
};

// One pass over a table.
class SqlRows {
  public:
    SqlRows() = default;
    SqlRows(const SqlRows&) = delete;
    SqlRows& operator=(const SqlRows&) = delete;
    virtual ~SqlRows() = default;

    // To the first row, then to the next; false behind the last one, or when the job was stopped.
    virtual bool next() = 0;
    // Of the row that it stands on.
    virtual SqlValue value(const SqlColumn& column) const = 0;
    virtual int64_t rowId() const = 0;
};

struct SqlTable {
    std::string_view name;
    std::string_view doc; // one sentence
    std::span<const SqlColumn> columns;
    // groupedByName: rows of one name stand together, names in rising order of their bytes.
    std::unique_ptr<SqlRows> (*open)(const SqlTable& table, const SqlScene& scene,
                                     std::span<const SqlCondition> conditions, bool groupedByName,
                                     const Progress& progress);
    double (*rowCount)(const SqlScene& scene); // about how many
    double mostGrouped = 0;                    // up to so many rows can be grouped by name; 0: none
};

// In the order of the documentation.
std::span<const SqlTable> sqlTables();

// "INTEGER", "REAL", "TEXT": as a table declares it.
std::string_view sqlTypeName(SqlType type);

// Every table and column with its type, unit and meaning, for people.
std::string sqlSchemaText();

} // namespace lockstep
