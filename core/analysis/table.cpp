// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace lockstep {

namespace {

// Identifiers that are displayed with different words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kHeaderWords{{
    {"seq", "Sequence"},
    {"dtype", "Data type"},
    {"n", "Steps counted"},
    {"std", "Std. deviation"},
    {"stddev", "Std. deviation"},
    {"cv_pctg", "Coefficient of variation"},
    {"ci95_low", "95 % interval, low"},
    {"ci95_high", "95 % interval, high"},
    {"step_from", "Step rule"},
    {"phases_from", "Phase names"},
    {"not_timed", "Why not analyzed"},
    {"doing", "Activity while late"},
    {"late_doing", "Activity of the last rank"},
    {"late_on", "Last rank busy on"},
    {"host_late", "Late because of host"},
    {"last_by_start", "Last by start"},
    {"wall_pctg", "Share of wall"},
    {"time_pctg", "Share of wall"},
    {"bubble_pctg", "Bubble share"},
    {"role_bubble_pctg", "Role bubble share"},
    {"blocked_pctg", "Blocked share"},
    {"comp_comm_overlap_pctg", "Communication overlapped"},
    {"exposed_pctg", "Exposed share"},
    {"idle_time_ratio", "Share of waits"},
    {"out_of_memory", "Out of memory"},
    {"same_as", "Same as"},
    {"made_utc", "Created (UTC)"},
}};
// Last words of identifiers that denote a statistic.
constexpr std::array<std::string_view, 5> kStatisticWords{"median", "mean", "total", "max", "med"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSpelledWords{{{"cpu", "CPU"},
                                                                                      {"gpu", "GPU"},
                                                                                      {"gpus", "GPUs"},
                                                                                      {"pid", "PID"},
                                                                                      {"id", "ID"},
                                                                                      {"utc", "UTC"},
                                                                                      {"med", "median"}}};

// Returns "Late by, median" for "late_by_median".
std::string splitWords(std::string_view identifier)
{
    const auto known =
        std::ranges::find(kHeaderWords, identifier, [](const auto& each) { return each.first; });
    if (known != kHeaderWords.end()) return std::string(known->second);
    std::string out;
    while (!identifier.empty()) {
        const size_t end = std::min(identifier.find('_'), identifier.size());
        const std::string_view word = identifier.substr(0, end);
        identifier.remove_prefix(std::min(end + 1, identifier.size()));
        if (word == "pctg") continue; // the unit is in the header
        const bool isStatistic = !out.empty() && identifier.empty() &&
                                 std::ranges::find(kStatisticWords, word) != kStatisticWords.end();
        const auto spelled =
            std::ranges::find(kSpelledWords, word, [](const auto& each) { return each.first; });
        if (!out.empty()) out += isStatistic ? ", " : " ";
        out += spelled != kSpelledWords.end() ? spelled->second : word;
    }
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}

} // namespace

size_t Table::addColumn(TableColumn column)
{
    m_columns.push_back(std::move(column));
    return m_columns.size() - 1;
}

void Table::markSums(std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        const size_t column = columnNamed(name);
        assert(column < columnCount());
        m_columns[column].isSum = true;
    }
}

void Table::addRow(SliceRef longest)
{
    for (TableColumn& column : m_columns) {
        if (column.type == ColumnType::text) {
            column.texts.push_back(StringId(0u));
        } else {
            column.numbers.push_back(kNoNumber);
        }
    }
    m_longest.push_back(longest);
}

void Table::setRange(TimeRange range)
{
    m_ranges.resize(rowCount());
    m_ranges.back() = range;
}

void Table::setNote(std::string_view note)
{
    m_notes.resize(rowCount(), StringId(0u));
    m_notes.back() = m_strings.intern(note);
}

void Table::setText(size_t column, std::string_view text)
{
    m_columns[column].texts.back() = m_strings.intern(text);
}

void Table::setNumber(size_t column, int64_t number)
{
    m_columns[column].numbers.back() = number;
}

size_t Table::columnNamed(std::string_view name) const
{
    return static_cast<size_t>(std::ranges::find(m_columns, name, &TableColumn::name) - m_columns.begin());
}

bool Table::hasNumber(size_t column, size_t row) const
{
    return m_columns[column].type != ColumnType::text && m_columns[column].numbers[row] != kNoNumber;
}

bool Table::isColumnEmpty(size_t column) const
{
    const TableColumn& data = m_columns[column];
    if (data.type != ColumnType::text)
        return std::ranges::all_of(data.numbers, [](int64_t number) { return number == kNoNumber; });
    return std::ranges::all_of(data.texts, [this](StringId text) { return m_strings.at(text).empty(); });
}

double Table::value(size_t column, size_t row) const
{
    if (!hasNumber(column, row)) return std::nan("");
    return static_cast<double>(number(column, row)) / std::pow(10.0, m_columns[column].decimals);
}

std::string Table::cell(size_t column, size_t row) const
{
    if (m_columns[column].type == ColumnType::text) return std::string(text(column, row));
    return hasNumber(column, row) ? fixedPointText(number(column, row), m_columns[column].decimals) : "";
}

std::string Table::header(size_t column, std::string_view unit) const
{
    const TableColumn& shown = m_columns[column];
    const std::string_view name = unit.empty() ? std::string_view(shown.unit) : unit;
    if (name.empty()) return shown.name;
    if (headerStyle == HeaderStyle::titled) return shown.name + " (" + std::string(name) + ")";
    return shown.name + "_" + std::string(name);
}

std::string Table::shownName(size_t column) const
{
    const std::string& name = m_columns[column].name;
    return headerStyle == HeaderStyle::identifier ? splitWords(name) : name;
}

std::string Table::shownHeader(size_t column, std::string_view unit) const
{
    if (headerStyle != HeaderStyle::identifier) return header(column, unit);
    const TableColumn& shown = m_columns[column];
    std::string_view name = unit.empty() ? std::string_view(shown.unit) : unit;
    if (name.empty() && shown.type == ColumnType::percent) name = "%";
    return shownName(column) + (name.empty() ? "" : " (" + std::string(name) + ")");
}

Table Table::withoutRows() const
{
    Table out(m_name, m_title);
    out.headerStyle = headerStyle;
    out.source = source;
    for (const TableColumn& column : m_columns) {
        out.addColumn({column.name, column.unit, column.type, column.decimals, column.doc});
        out.m_columns.back().isSum = column.isSum;
        out.m_columns.back().isWide = column.isWide;
    }
    return out;
}

void Table::clearRows()
{
    for (TableColumn& column : m_columns) {
        column.texts.clear();
        column.numbers.clear();
    }
    m_longest.clear();
    m_ranges.clear();
    m_notes.clear();
    m_strings = {};
}

void Table::appendRows(const Table& page, size_t count)
{
    for (size_t i = 0; i < m_columns.size(); ++i) {
        const TableColumn& from = page.m_columns[i];
        TableColumn& to = m_columns[i];
        for (size_t row = 0; row < count && to.type == ColumnType::text; ++row)
            to.texts.push_back(m_strings.intern(page.text(i, row)));
        if (to.type != ColumnType::text)
            to.numbers.insert(to.numbers.end(), from.numbers.begin(),
                              from.numbers.begin() + static_cast<ptrdiff_t>(count));
    }
    for (size_t row = 0; row < count; ++row) {
        m_longest.push_back(page.m_longest[row]);
        if (const auto range = page.range(row)) setRange(*range);
        if (!page.note(row).empty()) setNote(page.note(row));
    }
}

std::vector<uint32_t> Table::sortedRows(size_t column, bool descending) const
{
    std::vector<uint32_t> order(rowCount());
    std::iota(order.begin(), order.end(), 0u);
    const TableColumn& key = m_columns[column];
    const auto isAbsent = [&](uint32_t row) {
        return key.type == ColumnType::text ? m_strings.at(key.texts[row]).empty()
                                            : key.numbers[row] == kNoNumber;
    };
    const auto isBefore = [&](uint32_t a, uint32_t b) {
        return key.type == ColumnType::text ? m_strings.at(key.texts[a]) < m_strings.at(key.texts[b])
                                            : key.numbers[a] < key.numbers[b];
    };
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
        if (isAbsent(a) || isAbsent(b)) return !isAbsent(a) && isAbsent(b);
        return descending ? isBefore(b, a) : isBefore(a, b);
    });
    return order;
}

void Table::reorder(std::span<const uint32_t> order)
{
    const auto reordered = [&](const auto& values) {
        std::remove_cvref_t<decltype(values)> moved;
        moved.reserve(order.size());
        for (const uint32_t row : order)
            moved.push_back(values[row]);
        return moved;
    };
    for (TableColumn& column : m_columns) {
        if (column.type == ColumnType::text) {
            column.texts = reordered(column.texts);
        } else {
            column.numbers = reordered(column.numbers);
        }
    }
    const size_t rowsBefore = m_longest.size();
    m_longest = reordered(m_longest);
    if (!m_ranges.empty()) {
        m_ranges.resize(rowsBefore);
        m_ranges = reordered(m_ranges);
    }
    if (!m_notes.empty()) {
        m_notes.resize(rowsBefore, StringId(0u));
        m_notes = reordered(m_notes);
    }
}

std::string fixedPointText(int64_t number, int decimals)
{
    const bool isNegative = number < 0;
    std::string digits =
        std::to_string(isNegative ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
    if (decimals > 0) {
        const auto places = static_cast<size_t>(decimals);
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return isNegative ? "-" + digits : digits;
}

} // namespace lockstep
