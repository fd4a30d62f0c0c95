// SPDX-License-Identifier: Apache-2.0
#include "core/sql/sql_table.h"

#include <algorithm>
#include <vector>

#include "core/sql/cached_rows.h"
#include "core/sql/slice_rows.h"

namespace lockstep {

std::span<const SqlTable> sqlTables()
{
    static const std::vector<SqlTable> kTables = [] {
        std::vector<SqlTable> tables;
        for (const auto part :
             {ownerSqlTables(), sliceSqlTables(), bulkSqlTables(), sampleSqlTables(), axisSqlTables()})
            tables.insert(tables.end(), part.begin(), part.end());
        return tables;
    }();
    return kTables;
}

const SqlColumn* findSqlColumn(std::string_view table, std::string_view column)
{
    const auto of = std::ranges::find(sqlTables(), table, &SqlTable::name);
    if (of == sqlTables().end()) return nullptr;
    const auto found = std::ranges::find(of->columns, column, &SqlColumn::name);
    return found == of->columns.end() ? nullptr : &*found;
}

std::string_view sqlTypeName(SqlType type)
{
    switch (type) {
    case SqlType::null:
        return "NULL";
    case SqlType::integer:
        return "INTEGER";
    case SqlType::real:
        return "REAL";
    case SqlType::text:
        return "TEXT";
    }
    return "";
}

std::string sqlSchemaText()
{
    std::string out;
    for (const SqlTable& table : sqlTables()) {
        size_t width = 0;
        for (const SqlColumn& column : table.columns)
            width = std::max(width, column.name.size());
        out += std::string(table.name) + ": " + std::string(table.doc) + '\n';
        for (const SqlColumn& column : table.columns) {
            out += "  " + std::string(column.name) + std::string(width + 2 - column.name.size(), ' ');
            const std::string_view type = sqlTypeName(column.type);
            out += std::string(type) + std::string(9 - type.size(), ' ') + std::string(column.doc) + '\n';
        }
        out += '\n';
    }
    return out;
}

} // namespace lockstep
