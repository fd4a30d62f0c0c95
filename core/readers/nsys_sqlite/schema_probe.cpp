// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/schema_probe.h"

#include <algorithm>

namespace lockstep {

namespace {

bool readColumns(const SqliteDatabase& database, const std::string& table, std::vector<std::string>& names)
{
    auto columns = database.query("SELECT name FROM pragma_table_info(" + quotedName(table) + ")");
    if (!columns) return false;
    for (;;) {
        const auto row = columns->step();
        if (!row) return false;
        if (!*row) return true;
        names.emplace_back(columns->text(0));
    }
}

} // namespace

Result<SchemaProbe> SchemaProbe::of(const SqliteDatabase& database)
{
    SchemaProbe out;
    SqliteQuery tables = LOCKSTEP_TRY(database.query("SELECT name, type = 'table' AND rootpage > 0 FROM "
                                                     "sqlite_schema WHERE type IN ('table', 'view')"));
    while (LOCKSTEP_TRY(tables.step())) {
        const std::string name(tables.text(0));
        std::vector<std::string> names;
        if (tables.integer(1) == 0 || !readColumns(database, name, names)) {
            out.m_unreadable.push_back(name);
        } else {
            out.m_columns.emplace(name, std::move(names));
        }
    }
    std::ranges::sort(out.m_unreadable);
    return out;
}

bool SchemaProbe::isNsysExport() const
{
    if (has("META_DATA_EXPORT") || has("EXPORT_META_DATA")) return true;
    if (!has("StringIds")) return false;
    return std::ranges::any_of(m_columns, [](const auto& table) {
        return table.first.starts_with("CUPTI_ACTIVITY_KIND_") || table.first == "NVTX_EVENTS" ||
               table.first == "OSRT_API" || table.first.starts_with("TARGET_INFO_");
    });
}

bool SchemaProbe::has(std::string_view table, std::string_view column) const
{
    return std::ranges::find(columns(table), column) != columns(table).end();
}

std::span<const std::string> SchemaProbe::columns(std::string_view table) const
{
    const auto found = m_columns.find(table);
    return found != m_columns.end() ? std::span<const std::string>(found->second)
                                    : std::span<const std::string>();
}

std::string SchemaProbe::select(std::string_view table, std::span<const std::string_view> wanted) const
{
    std::string sql = "SELECT rowid";
    for (const std::string_view column : wanted) {
        sql += "," + (has(table, column) ? quotedName(column) : std::string("NULL"));
    }
    return sql + " FROM " + quotedName(table);
}

} // namespace lockstep
