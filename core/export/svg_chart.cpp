// SPDX-License-Identifier: Apache-2.0
#include "core/export/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/text.h"
#include "core/export/svg_axes_chart.h"

namespace lockstep {

namespace {

constexpr double kRow = 22, kBar = 14, kLabels = 300, kBars = 460, kFigures = 120, kNote = 20; // pixels
constexpr size_t kLabelLetters = 44;
constexpr size_t kColours = 6;

std::string colourClass(size_t colour)
{
    return "class=\"c" + std::to_string(colour % kColours) + "\"";
}

std::string rowLabel(const Table& table, const TableChart& chart, size_t row, double y)
{
    const std::string whole = chartLabel(table, chart, row);
    return "<g><title>" + escapedMarkup(whole) + "</title>" +
           svgText(kLabels - 8, y + kBar - 3, "class=\"label\"", shortenedText(whole, kLabelLetters)) +
           "</g>";
}

// The rows for which a bar is drawn.
struct BarRows {
    std::vector<size_t> rows;
    std::string note;
};

double middleOf(const Table& table, size_t column, const std::vector<size_t>& rows)
{
    std::vector<double> values;
    for (const size_t row : rows)
        if (table.hasNumber(column, row)) values.push_back(table.value(column, row));
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// Keeps one row per bar. Among neighbors that share a bar, this is the row with a value that is farthest from
// the table's median.
void keepOutliers(const Table& table, const std::vector<size_t>& columns, size_t most, BarRows& bars)
{
    std::vector<double> middles;
    for (const size_t column : columns)
        middles.push_back(middleOf(table, column, bars.rows));
    const auto distance = [&](size_t row) {
        double farthest = 0;
        for (size_t i = 0; i < columns.size(); ++i)
            if (table.hasNumber(columns[i], row))
                farthest = std::max(farthest, std::abs(table.value(columns[i], row) - middles[i]));
        return farthest;
    };
    const size_t all = bars.rows.size();
    std::vector<size_t> kept;
    for (size_t bar = 0; bar < most; ++bar) {
        const auto from = bars.rows.begin() + static_cast<std::ptrdiff_t>(all * bar / most);
        const auto to = bars.rows.begin() + static_cast<std::ptrdiff_t>(all * (bar + 1) / most);
        kept.push_back(*std::ranges::max_element(from, to, {}, distance));
    }
    bars.rows = std::move(kept);
    bars.note = groupedText(static_cast<int64_t>(all)) + " rows on " + std::to_string(most) +
                " bars: of neighbors that share a bar, the one farthest from the overall median is drawn";
}

BarRows barRowsOf(const Table& table, const TableChart& chart, size_t most)
{
    BarRows bars;
    size_t without = 0;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const bool has =
            std::ranges::any_of(chart.values, [&](size_t column) { return table.hasNumber(column, row); });
        if (has) bars.rows.push_back(row);
        without += !has;
    }
    const size_t all = bars.rows.size();
    const auto value = [&](size_t row) { return table.value(chart.values[0], row); };
    if (all > most && most > 0) {
        if (chart.kind == ChartKind::bars && std::ranges::is_sorted(bars.rows, std::greater{}, value)) {
            bars.rows.resize(most);
            bars.note = "the largest " + std::to_string(most) + " of " +
                        groupedText(static_cast<int64_t>(all)) + " rows";
        } else {
            keepOutliers(table, chart.values, most, bars);
        }
    }
    if (without > 0)
        bars.note += (bars.note.empty() ? "" : "; ") + std::string("rows without a value, not drawn: ") +
                     std::to_string(without);
    return bars;
}

std::string barChartSvg(const Table& table, const TableChart& chart, size_t most)
{
    const size_t values = chart.values[0];
    const BarRows bars = barRowsOf(table, chart, most);
    double largest = 0;
    for (const size_t row : bars.rows)
        largest = std::max(largest, table.value(values, row));
    if (largest <= 0) return {};
    std::string body;
    for (size_t i = 0; i < bars.rows.size(); ++i) {
        const double y = static_cast<double>(i) * kRow + (kRow - kBar) / 2;
        const double width = kBars * std::max(0.0, table.value(values, bars.rows[i])) / largest;
        const std::string figure = shownCell(table, values, bars.rows[i]);
        body += rowLabel(table, chart, bars.rows[i], y) +
                svgRect(kLabels, y, width, kBar, colourClass(0), figure) +
                svgText(kLabels + width + 6, y + kBar - 3, "class=\"figure\"", figure);
    }
    return framedChart(table.title() + ": " + table.column(values).name,
                       static_cast<double>(bars.rows.size()) * kRow, body, bars.note);
}

std::string stackedChartSvg(const Table& table, const TableChart& chart, size_t most)
{
    const std::vector<size_t>& parts = chart.values;
    const BarRows bars = barRowsOf(table, chart, most);
    if (bars.rows.empty()) return {};
    constexpr double kLegend = 24;
    std::string body;
    double legend = kLabels;
    for (size_t i = 0; i < parts.size(); ++i) {
        const std::string name = columnLabel(table, parts[i]);
        body += svgRect(legend, 4, kBar, kBar, colourClass(i), name) +
                svgText(legend + kBar + 5, kBar + 1, "class=\"figure\"", name);
        legend += kBar + 24 + 7 * static_cast<double>(name.size());
    }
    for (size_t i = 0; i < bars.rows.size(); ++i) {
        const size_t row = bars.rows[i];
        const double y = kLegend + static_cast<double>(i) * kRow + (kRow - kBar) / 2;
        body += rowLabel(table, chart, row, y);
        double x = kLabels;
        for (size_t part = 0; part < parts.size(); ++part) {
            if (!table.hasNumber(parts[part], row)) continue;
            const double width = kBars * std::clamp(table.value(parts[part], row), 0.0, 100.0) / 100;
            body += svgRect(x, y, width, kBar, colourClass(part),
                            columnLabel(table, parts[part]) + " " + shownCell(table, parts[part], row));
            x += width;
        }
    }
    return framedChart(table.title(), kLegend + static_cast<double>(bars.rows.size()) * kRow, body,
                       bars.note);
}

} // namespace

std::string framedChart(const std::string& title, double height, std::string body, const std::string& note)
{
    if (!note.empty()) body += svgText(8, height + kNote - 6, "class=\"figure\"", note);
    const std::string width = svgNumber(kLabels + kBars + kFigures);
    const std::string whole = svgNumber(height + (note.empty() ? 0 : kNote));
    return "<svg class=\"chart\" role=\"img\" aria-label=\"" + escapedMarkup(title) + "\" viewBox=\"0 0 " +
           width + " " + whole + "\" width=\"" + width + "\" height=\"" + whole + "\">" + body + "</svg>\n";
}

std::string shownCell(const Table& table, size_t column, size_t row)
{
    const TableColumn& shown = table.column(column);
    if (!table.hasNumber(column, row)) return table.cell(column, row);
    if (shown.type == ColumnType::time)
        return durationText(Duration{static_cast<int64_t>(std::llround(table.value(column, row)))});
    if (shown.type == ColumnType::integer && shown.unit.empty()) return table.cell(column, row);
    return table.cell(column, row) + (shown.unit.empty() ? "" : shown.unit == "%" ? " %" : " " + shown.unit);
}

std::string chartSvg(const Table& table, const TableChart& chart, size_t most)
{
    switch (chart.kind) {
    case ChartKind::bars:
        return barChartSvg(table, chart, most);
    case ChartKind::stacked:
        return stackedChartSvg(table, chart, most);
    case ChartKind::heatMap:
        return heatChartSvg(table, chart);
    case ChartKind::histogram:
        return histogramSvg(table, chart);
    case ChartKind::series:
        return seriesChartSvg(table, chart);
    }
    return {};
}

} // namespace lockstep
