// SPDX-License-Identifier: Apache-2.0
// SchemaProbe: which tables and columns an export has. Exports have no fixed schema, so every SELECT is made
// from what is there: a missing column reads as NULL, a missing table means "not captured", which is not the
// same as no rows.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/nsys_sqlite/sqlite_database.h"

namespace lockstep {

class SchemaProbe {
  public:
    // Reads sqlite_schema and the column list of every table. corrupt when the schema itself is unreadable.
    static Result<SchemaProbe> of(const SqliteDatabase& database);

    // True for a file that nsys wrote: StringIds with activity, NVTX, target or export tables beside it.
    bool isNsysExport() const;
    bool has(std::string_view table) const { return m_columns.contains(table); }
    bool has(std::string_view table, std::string_view column) const;
    // In the file's order and spelling; empty for a missing table.
    std::span<const std::string> columns(std::string_view table) const;
    // Sorted by name.
    const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const { return m_columns; }
    // Names of what is no plain table: views and virtual tables, whose rows a statement in the file makes,
    // and tables whose columns cannot be listed. None of them is read. Sorted.
    std::span<const std::string> unreadable() const { return m_unreadable; }
    // "SELECT rowid,"start",NULL FROM "table"": column 0 is the row id, then `columns` in order.
    std::string select(std::string_view table, std::span<const std::string_view> columns) const;

  private:
    std::map<std::string, std::vector<std::string>, std::less<>> m_columns;
    std::vector<std::string> m_unreadable;
};

} // namespace lockstep
