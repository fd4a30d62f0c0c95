// SPDX-License-Identifier: Apache-2.0
#include "core/export/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kRow = 22, kBar = 14, kLabels = 300, kBars = 460, kFigures = 120; // pixels
constexpr size_t kLabelLetters = 44;
constexpr size_t kColours = 6;

std::string pixels(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

std::string textAt(double x, double y, std::string_view kind, const std::string& text)
{
    return "<text class=\"" + std::string(kind) + "\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\">" +
           escapedMarkup(text) + "</text>";
}

std::string rectAt(double x, double y, double width, size_t colour, const std::string& told)
{
    return "<rect class=\"c" + std::to_string(colour % kColours) + "\" x=\"" + pixels(x) + "\" y=\"" +
           pixels(y) + "\" width=\"" + pixels(width) + "\" height=\"" + pixels(kBar) + "\"><title>" +
           escapedMarkup(told) + "</title></rect>";
}

std::string chartOf(const std::string& title, size_t rows, double top, const std::string& body)
{
    const std::string width = pixels(kLabels + kBars + kFigures);
    const std::string height = pixels(top + static_cast<double>(rows) * kRow);
    return "<svg class=\"chart\" role=\"img\" aria-label=\"" + escapedMarkup(title) + "\" viewBox=\"0 0 " +
           width + " " + height + "\" width=\"" + width + "\" height=\"" + height + "\">" + body + "</svg>\n";
}

std::string rowLabel(const Table& table, const TableChart& chart, size_t row, double y)
{
    const std::string whole = chartLabel(table, chart, row);
    return "<g><title>" + escapedMarkup(whole) + "</title>" +
           textAt(kLabels - 8, y + kBar - 3, "label", shortenedText(whole, kLabelLetters)) + "</g>";
}

std::string barChartSvg(const Table& table, const TableChart& chart, size_t most)
{
    const size_t values = chart.values[0];
    std::vector<size_t> rows;
    double largest = 0;
    for (size_t row = 0; row < table.rowCount() && rows.size() < most; ++row) {
        if (!table.hasNumber(values, row)) continue;
        rows.push_back(row);
        largest = std::max(largest, table.value(values, row));
    }
    if (largest <= 0) return {};
    std::string body;
    for (size_t i = 0; i < rows.size(); ++i) {
        const double y = static_cast<double>(i) * kRow + (kRow - kBar) / 2;
        const double width = kBars * std::max(0.0, table.value(values, rows[i])) / largest;
        const std::string figure = shownCell(table, values, rows[i]);
        body += rowLabel(table, chart, rows[i], y) + rectAt(kLabels, y, width, 0, figure) +
                textAt(kLabels + width + 6, y + kBar - 3, "figure", figure);
    }
    return chartOf(table.title() + ": " + table.column(values).name, rows.size(), 0, body);
}

std::string stackedChartSvg(const Table& table, const TableChart& chart, size_t most)
{
    const std::vector<size_t>& parts = chart.values;
    const size_t rows = std::min(most, table.rowCount());
    if (rows == 0) return {};
    constexpr double kLegend = 24;
    std::string body;
    double legend = kLabels;
    for (size_t i = 0; i < parts.size(); ++i) {
        const std::string name = chartWord(table, parts[i]);
        body += rectAt(legend, 4, kBar, i, name) + textAt(legend + kBar + 5, kBar + 1, "figure", name);
        legend += kBar + 24 + 7 * static_cast<double>(name.size());
    }
    for (size_t row = 0; row < rows; ++row) {
        const double y = kLegend + static_cast<double>(row) * kRow + (kRow - kBar) / 2;
        body += rowLabel(table, chart, row, y);
        double x = kLabels;
        for (size_t i = 0; i < parts.size(); ++i) {
            if (!table.hasNumber(parts[i], row)) continue;
            const double width = kBars * std::clamp(table.value(parts[i], row), 0.0, 100.0) / 100;
            body +=
                rectAt(x, y, width, i, chartWord(table, parts[i]) + " " + shownCell(table, parts[i], row));
            x += width;
        }
    }
    return chartOf(table.title(), rows, kLegend, body);
}

} // namespace

std::string shortenedText(const std::string& text, size_t letters)
{
    std::vector<size_t> starts; // of code points
    for (size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    if (starts.size() <= letters) return text;
    const size_t half = (letters - 1) / 2;
    return text.substr(0, starts[half]) + "\u2026" + text.substr(starts[starts.size() - half]);
}

std::string escapedMarkup(std::string_view text)
{
    std::string out;
    for (const char c : repairedUtf8(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
                out += "\uFFFD";
            } else {
                out += c;
            }
        }
    }
    return out;
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
    default:
        return {};
    }
}

} // namespace lockstep
