// SPDX-License-Identifier: Apache-2.0
#include "core/readers/ascend_memory/csv_lines.h"

#include <algorithm>

#include "core/base/words.h"

namespace lockstep {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMaxCells = 256;

} // namespace

CsvLines::CsvLines(std::string_view text) : m_rest(text)
{
    if (m_rest.starts_with(kByteOrderMark)) m_rest.remove_prefix(kByteOrderMark.size());
    if (next()) m_names = m_cells;
}

std::optional<size_t> CsvLines::column(std::string_view name) const
{
    const auto found = std::ranges::find(m_names, name);
    if (found == m_names.end()) return std::nullopt;
    return static_cast<size_t>(found - m_names.begin());
}

bool CsvLines::next()
{
    while (!m_rest.empty()) {
        const size_t end = std::min(m_rest.find('\n'), m_rest.size());
        const std::string_view line = m_rest.substr(0, end);
        m_isCut = end == m_rest.size();
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        ++m_line;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        split(line);
        return true;
    }
    return false;
}

// Splits a line into cells. A quote within quotes is written twice. Cells do not span several lines.
void CsvLines::split(std::string_view line)
{
    m_cells.clear();
    std::string cell;
    bool isQuoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            if (isQuoted && i + 1 < line.size() && line[i + 1] == '"') {
                cell += line[++i];
            } else {
                isQuoted = !isQuoted;
            }
        } else if (c == ',' && !isQuoted && m_cells.size() < kMaxCells) {
            m_cells.emplace_back(trimmed(cell, " \t\r"));
            cell.clear();
        } else {
            cell += c;
        }
    }
    m_cells.emplace_back(trimmed(cell, " \t\r"));
    m_isOpen = isQuoted;
}

void noteBrokenLine(const CsvLines& lines, ImportNotes& notes)
{
    if (lines.isBroken())
        notes.add("memory.broken_line", NoteSeverity::dataLoss,
                  "lines with missing cells or an unclosed quote: the missing values are not shown",
                  "line " + std::to_string(lines.line()));
}

} // namespace lockstep
