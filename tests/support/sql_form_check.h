// SPDX-License-Identifier: Apache-2.0
// Compares a table with the result of the query offered for it, as sets: each row as "name|count|total",
// bytes in MB with three decimals as nsys prints them.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "core/analysis/analysis.h"
#include "core/sql/sql_query.h"

namespace lockstep::test {

inline std::multiset<std::string> sumsOfQuery(const std::string& query, const ScenePtr& scene)
{
    const auto answers = runQuery(query, scene, {}, Progress());
    if (!answers) return {query + ": " + answers.error().message};
    const Table& table = answers->front();
    const size_t name = table.columnNamed("name"), count = table.columnNamed("n");
    const size_t time = table.columnNamed("total"), bytes = table.columnNamed("total_bytes");
    std::multiset<std::string> sums;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string total = bytes < table.columnCount()
                                      ? fixedPointText((table.number(bytes, row) + 500) / 1000, 3)
                                      : table.cell(time, row);
        sums.insert(table.cell(name, row) + "|" + table.cell(count, row) + "|" + total);
    }
    return sums;
}

inline std::multiset<std::string> sumsOfTable(const std::string& what, const ScenePtr& scene,
                                              const Scope& scope)
{
    const auto made = runAnalysis(what, *scene, scope, Progress());
    if (!made) return {what + ": " + made.error().message};
    const auto columnOf = [&](std::initializer_list<const char*> names) {
        size_t column = made->columnCount();
        for (const char* const name : names)
            column = std::min(column, made->columnNamed(name));
        return column;
    };
    const size_t name = columnOf({"Name", "Operation", "Range"});
    const size_t count = columnOf({"Instances", "Num Calls", "Count"});
    const size_t total = columnOf({"Total Time", "Total"});
    std::multiset<std::string> sums;
    for (size_t row = 0; row < made->rowCount(); ++row)
        sums.insert(made->cell(name, row) + "|" + made->cell(count, row) + "|" + made->cell(total, row));
    return sums;
}

} // namespace lockstep::test
