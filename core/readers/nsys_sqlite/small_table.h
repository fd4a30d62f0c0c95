// SPDX-License-Identifier: Apache-2.0
// Reads small tables of an export completely on one thread: settings, names, descriptions.
#pragma once

#include <array>
#include <string_view>

#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/import_notes.h"

namespace lockstep {

inline constexpr std::string_view kTableDamage =
    "tables that are damaged or cut short: their readable rows are shown";

// Calls take(query) for each row. Column 0 of the query is the row ID, and columns 1, 2, ... are `columns`.
// Missing columns read as NULL. A missing table has no rows, and a corrupt table is reported in a note.
template<size_t N, class Take>
void eachRow(const SqliteDatabase& database, const SchemaProbe& schema, std::string_view table,
             const std::array<std::string_view, N>& columns, ImportNotes& notes, Take take)
{
    if (!schema.has(table)) return;
    const auto noteDamage = [&](const Error& error) {
        notes.add("table.cut_short", NoteSeverity::dataLoss, kTableDamage,
                  std::string(table) + ": " + error.message);
    };
    auto query = database.query(schema.select(table, columns));
    if (!query) return noteDamage(query.error());
    for (;;) {
        const auto row = query->step();
        if (!row) return noteDamage(row.error());
        if (!*row) return;
        take(*query);
    }
}

} // namespace lockstep
