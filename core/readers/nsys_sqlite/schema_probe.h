// SPDX-License-Identifier: Apache-2.0
// SchemaProbe: the tables and columns of an export. Exports have no fixed schema, so every SELECT is built
// from what exists: a missing column reads as NULL; a missing table means "not captured", which is different
// from an empty table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/sqlite_database.h"

namespace lockstep {

class SchemaProbe {
  public:
    // Reads sqlite_schema and the column list of every table. Returns corrupt if the schema itself is
    // unreadable.
    static Result<SchemaProbe> of(const SqliteDatabase& database);

    // Returns true for a file that nsys wrote: it has StringIds and activity, NVTX, target or export tables.
    bool isNsysExport() const;
    bool has(std::string_view table) const { return m_columns.contains(table); }
    bool has(std::string_view table, std::string_view column) const;
    // Returns the columns in file order and spelling; empty for a missing table.
    std::span<const std::string> columns(std::string_view table) const;
    // Sorted by name.
    const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const { return m_columns; }
    // Returns the names of everything that is not a plain table: views and virtual tables, whose rows come
    // from a statement in the file, and tables whose columns cannot be listed. Such tables are never read.
    // Sorted.
    std::span<const std::string> unreadable() const { return m_unreadable; }
    // Returns SELECT rowid,"start",NULL FROM "table". Column 0 is the row ID, followed by `columns` in order;
    // missing columns are NULL.
    std::string select(std::string_view table, std::span<const std::string_view> columns) const;

  private:
    std::map<std::string, std::vector<std::string>, std::less<>> m_columns;
    std::vector<std::string> m_unreadable;
};

} // namespace lockstep
