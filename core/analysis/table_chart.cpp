// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table_chart.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>

#include "core/analysis/analysis.h"

namespace lockstep {

namespace {

// Total time by name, for the sums of nsys stats.
const std::vector<ChartRule>& rulesOfSums()
{
    static const std::vector<ChartRule> kRules{{ChartKind::bars, {"Name"}, {"Total Time"}},
                                               {ChartKind::bars, {"Operation"}, {"Total Time"}},
                                               {ChartKind::bars, {"Range"}, {"Total Time"}}};
    return kRules;
}

std::optional<size_t> columnWithoutCase(const Table& table, std::string_view name)
{
    const auto isSame = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    for (size_t i = 0; i < table.columnCount(); ++i) {
        if (std::ranges::equal(table.column(i).name, name, isSame)) return i;
    }
    return std::nullopt;
}

// Returns false if a requested column does not exist.
bool findChartColumn(const Table& table, std::string_view name, std::optional<size_t>& at)
{
    if (!name.empty()) at = columnWithoutCase(table, name);
    return name.empty() || at.has_value();
}

// Returns the number of rows (or points in a series) with distinct names.
size_t namesOf(const Table& table, std::span<const size_t> labels)
{
    std::set<std::vector<std::string>> names;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        std::vector<std::string> name;
        for (const size_t column : labels)
            name.push_back(table.cell(column, row));
        names.insert(std::move(name));
    }
    return names.size();
}

// Returns the shortest prefix of the labels that distinguishes as many rows as all labels.
std::vector<size_t> distinguishingLabels(const Table& table, std::vector<size_t> labels)
{
    std::erase_if(labels, [&](size_t column) {
        for (size_t row = 0; row < table.rowCount(); ++row)
            if (!table.cell(column, row).empty()) return false;
        return true;
    });
    const auto lines = [&](size_t count) { return namesOf(table, std::span(labels).first(count)); };
    const size_t all = lines(labels.size());
    while (labels.size() > 1 && lines(labels.size() - 1) == all)
        labels.pop_back();
    return labels;
}

// Columns that can distinguish rows with equal names, simplest first.
constexpr std::array<std::string_view, 10> kDistinguishingColumns{
    "step", "rank", "role", "host", "member", "process", "communicator", "report", "kind", "step_from"};

// Adds labels until names are unique, because two bars with one name are ambiguous, and a line through the
// points of two series would go backward.
std::vector<size_t> withDistinguishing(const Table& table, std::vector<size_t> labels,
                                       std::optional<size_t> along)
{
    if (along) labels.push_back(*along);
    size_t names = namesOf(table, labels);
    for (const std::string_view name : kDistinguishingColumns) {
        if (names == table.rowCount()) break;
        const auto candidate = columnWithoutCase(table, name);
        if (!candidate || std::ranges::find(labels, *candidate) != labels.end()) continue;
        labels.push_back(*candidate);
        const size_t distinguished = namesOf(table, labels);
        if (distinguished == names) labels.pop_back();
        names = distinguished;
    }
    if (along) std::erase(labels, *along);
    return labels;
}

std::vector<size_t> chartLabelsOf(const Table& table, const ChartRule& rule)
{
    std::vector<size_t> found;
    for (const std::string_view name : rule.labels) {
        const auto column = columnWithoutCase(table, name);
        if (column) found.push_back(*column);
    }
    if (rule.kind == ChartKind::heatMap) return distinguishingLabels(table, std::move(found));
    if (rule.needsAllLabels) return found;
    for (const size_t label : found) {
        bool isWhole = true;
        for (size_t row = 0; row < table.rowCount(); ++row)
            isWhole &= !table.cell(label, row).empty();
        if (isWhole) return {label};
    }
    return found;
}

bool hasDrawnValue(const Table& table, size_t column)
{
    if (table.column(column).type == ColumnType::text) return false;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (table.hasNumber(column, row) && table.number(column, row) > 0) return true;
    }
    return false;
}

std::optional<TableChart> chartByRule(const Table& table, const ChartRule& rule)
{
    TableChart chart{rule.kind, chartLabelsOf(table, rule), {}, 0, {}, {}, {}};
    for (const std::string_view value : rule.values) {
        const auto column = columnWithoutCase(table, value);
        if (!column) return std::nullopt;
        chart.values.push_back(*column);
    }
    std::optional<size_t> along;
    if (!findChartColumn(table, rule.along, along) || !findChartColumn(table, rule.until, chart.until) ||
        !findChartColumn(table, rule.low, chart.low) || !findChartColumn(table, rule.high, chart.high))
        return std::nullopt;
    chart.along = along.value_or(0);
    if (rule.kind != ChartKind::heatMap && rule.kind != ChartKind::histogram)
        chart.labels = withDistinguishing(table, std::move(chart.labels),
                                          rule.kind == ChartKind::series ? along : std::nullopt);
    if (chart.labels.empty() && rule.kind != ChartKind::series) return std::nullopt;
    const auto drawn = [&](size_t column) { return hasDrawnValue(table, column); };
    if (std::ranges::none_of(chart.values, drawn)) return std::nullopt;
    return chart;
}

} // namespace

std::optional<TableChart> chartOfTable(const Table& table)
{
    if (table.rowCount() == 0) return std::nullopt;
    const auto firstOf = [&](std::span<const ChartRule> rules) -> std::optional<TableChart> {
        for (const ChartRule& rule : rules) {
            if (auto chart = chartByRule(table, rule)) return chart;
        }
        return std::nullopt;
    };
    const Analysis* const analysis = findAnalysis(table.name());
    if (auto chart = analysis != nullptr ? firstOf(analysis->charts) : std::nullopt) return chart;
    return firstOf(rulesOfSums());
}

std::string chartLabel(const Table& table, const TableChart& chart, size_t row)
{
    std::string text;
    for (const size_t column : chart.labels) {
        const std::string cell = table.cell(column, row);
        if (cell.empty()) continue;
        const bool isNumber = table.column(column).type != ColumnType::text;
        text += (text.empty() ? "" : " · ") + (isNumber ? table.column(column).name + " " : "") + cell;
    }
    return text;
}

std::string columnLabel(const Table& table, size_t column)
{
    std::string name = table.column(column).name;
    for (const std::string_view end : {"_pctg", "_time"}) {
        if (name.ends_with(end)) name.resize(name.size() - end.size());
    }
    std::ranges::replace(name, '_', ' ');
    return name;
}

HeatGrid heatGridOf(const Table& table, const TableChart& chart)
{
    HeatGrid grid;
    std::map<std::string, size_t> lines;
    std::set<int64_t> moments;
    std::vector<size_t> lineOf(table.rowCount());
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(chart.along, row)) continue;
        const std::string name = chartLabel(table, chart, row);
        const auto [at, isNew] = lines.try_emplace(name, grid.lines.size());
        if (isNew) grid.lines.push_back(name);
        lineOf[row] = at->second;
        moments.insert(table.number(chart.along, row));
    }
    grid.moments.assign(moments.begin(), moments.end());
    const HeatGrid::Cell none{std::numeric_limits<double>::quiet_NaN(), 0};
    grid.cells.assign(grid.lines.size() * grid.moments.size(), none);
    const size_t values = chart.values[0];
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(chart.along, row) || !table.hasNumber(values, row)) continue;
        const auto moment = std::ranges::lower_bound(grid.moments, table.number(chart.along, row));
        HeatGrid::Cell& cell = grid.cells[lineOf[row] * grid.moments.size() +
                                          static_cast<size_t>(moment - grid.moments.begin())];
        const double value = table.value(values, row);
        grid.joined += !std::isnan(cell.value);
        if (std::isnan(cell.value) || value > cell.value) cell = {value, row};
        grid.largest = std::max(grid.largest, value);
    }
    if (table.column(values).type == ColumnType::percent) grid.largest = std::max(grid.largest, 100.0);
    return grid;
}

StepCurves stepCurvesOf(const Table& table, const TableChart& chart)
{
    StepCurves curves;
    std::map<std::string, size_t> places;
    const auto use = columnWithoutCase(table, "counts");
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(chart.values[0], row)) continue;
        if (!table.hasNumber(chart.along, row)) {
            ++curves.rowsWithoutStep;
            continue;
        }
        const std::string name = chartLabel(table, chart, row);
        const auto [at, isNew] = places.try_emplace(name, curves.curves.size());
        if (isNew) curves.curves.push_back({name, {}, {}, {}});
        curves.curves[at->second].points.push_back({table.value(chart.along, row),
                                                    table.value(chart.values[0], row), row,
                                                    !use || table.text(*use, row) != "warm-up"});
    }
    for (StepCurves::Curve& curve : curves.curves) {
        std::ranges::stable_sort(curve.points, {}, &StepCurves::Point::step);
        SampleMean sample;
        for (const StepCurves::Point& point : curve.points) {
            if (!point.counts) continue;
            ++sample.count;
            sample.mean += point.value;
        }
        if (sample.count == 0) continue;
        sample.mean /= static_cast<double>(sample.count);
        double squares = 0;
        for (const StepCurves::Point& point : curve.points)
            squares += point.counts ? std::pow(point.value - sample.mean, 2) : 0;
        if (sample.count > 1) sample.deviation = std::sqrt(squares / static_cast<double>(sample.count - 1));
        curve.mean = sample.mean;
        curve.interval = confidenceOf(sample);
    }
    return curves;
}

} // namespace lockstep
