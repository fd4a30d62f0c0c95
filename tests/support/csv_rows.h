// SPDX-License-Identifier: Apache-2.0
// Tables as rows of cells, read from CSV of Lockstep and of other programs, for comparisons.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/export/table_writer.h"

namespace lockstep::test {

using Row = std::vector<std::string>;

// Parses CSV as in RFC 4180.
inline std::vector<Row> csvRows(std::string_view text)
{
    std::vector<Row> rows;
    bool isQuoted = false, isFresh = true;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isFresh) rows.push_back({""});
        isFresh = false;
        if (c == '"' && isQuoted && i + 1 < text.size() && text[i + 1] == '"') {
            rows.back().back() += text[++i];
        } else if (c == '"') {
            isQuoted = !isQuoted;
        } else if (isQuoted || (c != ',' && c != '\n' && c != '\r')) {
            rows.back().back() += c;
        } else if (c == ',') {
            rows.back().emplace_back();
        } else {
            isFresh = c == '\n';
        }
    }
    std::erase_if(rows, [](const Row& row) { return row == Row{""}; });
    return rows;
}

inline std::string textOfFile(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

inline std::string csvText(const Table& table)
{
    const Table* const tables[] = {&table};
    std::string text;
    writeTables(tables, TableFormat::csv, {}, [&](std::string_view piece) { text += piece; });
    return text;
}

inline std::string joined(const Row& row)
{
    std::string text;
    for (const std::string& cell : row)
        text += (text.empty() ? "" : " | ") + cell;
    return text;
}

// Returns the first row that only one of them has; empty if they are equal. The order of rows with equal
// totals is not significant.
inline std::string firstDifference(std::vector<Row> theirs, std::vector<Row> ours)
{
    std::ranges::sort(theirs);
    std::ranges::sort(ours);
    const auto [a, b] = std::ranges::mismatch(theirs, ours);
    if (a == theirs.end() && b == ours.end()) return {};
    return "theirs: " + (a == theirs.end() ? "nothing more" : joined(*a)) +
           "\nours: " + (b == ours.end() ? "nothing more" : joined(*b));
}

} // namespace lockstep::test
