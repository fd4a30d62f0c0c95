// SPDX-License-Identifier: Apache-2.0
// TableColumns declares the columns of an analysis once: name, unit, description, and the member of a row
// that fills the cells. An analysis returns typed rows (AnalysisRows), which other code reads by member. A
// Table exists only at the edge, for files and views, where makeTable() creates it from the rows and their
// columns. Value types. Thread: any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/analysis/analysis.h"

namespace lockstep {

// Each Row has a member `longest`, the slice to which a click on the row leads.
template<class Row>
struct AnalysisRows {
    std::vector<Row> rows;
    TableSource source;
};

// Returns the leading column of rows that are grouped by anything except GroupBy::total.
TableColumn groupColumn(GroupBy by);

// Sets a cell in the last row to a string or a number. A nullopt leaves the cell empty.
template<class Value>
void setCell(Table& table, size_t column, const Value& value)
{
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        table.setText(column, value);
    } else if constexpr (requires { value.has_value(); }) {
        if (value) setCell(table, column, *value);
    } else {
        table.setNumber(column, static_cast<int64_t>(value));
    }
}

template<class Row>
class TableColumns {
  public:
    explicit TableColumns(HeaderStyle style = HeaderStyle::titled) : m_style(style) {}

    // Each function below appends a column. value: a member of Row, a const member function without
    // arguments, or a function of the row. It yields a string, or a number times 10^decimals.
    template<class Value>
    TableColumns& add(Value value, TableColumn column)
    {
        const size_t position = m_columns.size();
        m_columns.push_back(std::move(column));
        m_setters.push_back([value, position](Table& table, const Row& row) {
            setCell(table, position, std::invoke(value, row));
        });
        return *this;
    }
    template<class Value>
    TableColumns& text(Value value, std::string name, std::string doc)
    {
        return add(value, {std::move(name), "", ColumnType::text, 0, std::move(doc)});
    }
    template<class Value>
    TableColumns& count(Value value, std::string name, std::string doc)
    {
        return add(value, {std::move(name), "", ColumnType::integer, 0, std::move(doc)});
    }
    // In ns.
    template<class Value>
    TableColumns& time(Value value, std::string name, std::string doc)
    {
        return add(value, {std::move(name), "ns", ColumnType::time, 0, std::move(doc)});
    }
    // The column of the row's member `group`, unless rows are not grouped.
    TableColumns& group(GroupBy by)
    {
        if (by == GroupBy::total) return *this;
        TableColumn column = groupColumn(by);
        if (column.type == ColumnType::text)
            return add([](const Row& row) { return row.group.isUnknown ? std::string() : row.group.text; },
                       std::move(column));
        return add(
            [](const Row& row) {
                return row.group.isUnknown ? std::nullopt : std::optional(row.group.number);
            },
            std::move(column));
    }
    // The column with the path of the report that a row is about.
    template<class Value>
    TableColumns& report(Value value, std::string name, std::string doc)
    {
        return text(value, std::move(name), std::move(doc)).means(ColumnMeaning::report);
    }
    TableColumns& means(ColumnMeaning meaning)
    {
        m_columns.back().meaning = meaning;
        return *this;
    }
    // Marks the last column: the numbers of several rows add up, see Table::markSums().
    TableColumns& summed()
    {
        m_columns.back().isSum = true;
        return *this;
    }
    // The time that a row describes (nullopt: that of its instance), see Table::setRange(), and its note, see
    // Table::setNote().
    template<class Value>
    TableColumns& range(Value value)
    {
        m_setters.push_back([value](Table& table, const Row& row) {
            const std::optional<TimeRange> range = std::invoke(value, row);
            if (range) table.setRange(*range);
        });
        return *this;
    }
    template<class Value>
    TableColumns& note(Value value)
    {
        m_setters.push_back(
            [value](Table& table, const Row& row) { table.setNote(std::invoke(value, row)); });
        return *this;
    }

    Table table(std::string_view what, std::string_view title, AnalysisRows<Row> made) const
    {
        Table table{std::string(what), std::string(title)};
        table.headerStyle = m_style;
        for (const TableColumn& column : m_columns)
            table.addColumn(column);
        for (const Row& row : made.rows) {
            table.addRow(row.longest);
            for (const auto& set : m_setters)
                set(table, row);
        }
        table.source = std::move(made.source);
        return table;
    }

  private:
    HeaderStyle m_style;
    std::vector<TableColumn> m_columns;
    std::vector<std::function<void(Table& table, const Row& row)>> m_setters;
};

// Computes the rows of an analysis. what: its name and arguments. Errors: those of runAnalysis().
template<class Row>
Result<AnalysisRows<Row>> rowsOf(std::string_view what,
                                 Result<AnalysisRows<Row>> (&find)(const AnalysisRequest&, const Progress&),
                                 const Scene& scene, const Scope& scope, const Progress& progress)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    LOCKSTEP_TRY(checkGrouping(*resolved.analysis, scope));
    auto made = LOCKSTEP_TRY(find({what, resolved.arguments, scene, scope, {}}, progress));
    LOCKSTEP_TRY(progress.check());
    return made;
}

// Analysis::run for an analysis that consists of a function that returns rows and one that returns their
// columns. The title of the table is that of the analysis.
template<auto kRows, auto kColumns>
Result<Table> makeTable(const AnalysisRequest& request, const Progress& progress)
{
    auto made = LOCKSTEP_TRY(kRows(request, progress));
    return kColumns(request).table(request.what, findAnalysis(request.what)->title, std::move(made));
}

} // namespace lockstep
