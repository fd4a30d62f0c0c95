// SPDX-License-Identifier: Apache-2.0
#include "core/export/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "core/analysis/chart_axis.h"
#include "core/analysis/duration_histogram.h"
#include "core/analysis/table_chart.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kRow = 22, kBar = 14, kLabels = 300, kBars = 460, kFigures = 120, kNote = 20; // pixels

// Returns the frame for a chart with the common width, height in px, and a note below it (empty: no note).
// body is markup; title and note are plain text.
std::string framedChart(const std::string& title, double height, std::string body, const std::string& note)
{
    if (!note.empty()) body += svgText(8, height + kNote - 6, "class=\"figure\"", note);
    const std::string width = svgNumber(kLabels + kBars + kFigures);
    const std::string whole = svgNumber(height + (note.empty() ? 0 : kNote));
    return "<svg class=\"chart\" role=\"img\" aria-label=\"" + escapedMarkup(title) + "\" viewBox=\"0 0 " +
           width + " " + whole + "\" width=\"" + width + "\" height=\"" + whole + "\">" + body + "</svg>\n";
}

// Charts with axes: heat map, histogram and step series, drawn with the CSS classes of the document.

// All lengths are in pixels. The plot is aligned with the bars in other charts.
constexpr double kPlotLeft = 300, kPlotWidth = 552, kPlotHeight = 220, kPlotTop = 28, kAxisRoom = 44;
constexpr size_t kMaxHeatRows = 96, kMaxHeatColumns = 92, kHeatLevels = 8;
constexpr size_t kMaxSeries = 6, kMaxDots = 120, kSeriesLetters = 24;

std::string counted(size_t count, const std::string& what)
{
    return groupedText(static_cast<int64_t>(count)) + " " + what;
}

void addNote(std::string& note, const std::string& part)
{
    note += (note.empty() ? "" : "; ") + part;
}

std::string nameWithUnit(const std::string& name, const AxisUnit& unit)
{
    return unit.name.empty() ? name : name + " (" + unit.name + ")";
}

struct PlotAxes {
    ChartAxis across, up;
    double x(double value) const { return kPlotLeft + across.shareOf(value) * kPlotWidth; }
    double y(double value) const { return kPlotTop + (1 - up.shareOf(value)) * kPlotHeight; }
};

std::string bottomAxis(const PlotAxes& axes, const std::string& name)
{
    std::string out;
    const double bottom = kPlotTop + kPlotHeight;
    for (const AxisTick& tick : axes.across.ticks(6))
        out += svgRect(axes.x(tick.value), bottom, 1, 4, "class=\"axis\"") +
               svgText(axes.x(tick.value), bottom + 17, "class=\"tick\"", tick.text);
    return out + svgText(kPlotLeft + kPlotWidth / 2, bottom + 36, "class=\"tick\"",
                         nameWithUnit(name, axes.across.unit));
}

std::string leftAxis(const PlotAxes& axes, const std::string& name)
{
    std::string out;
    for (const AxisTick& tick : axes.up.ticks(5))
        out += svgRect(kPlotLeft, axes.y(tick.value), kPlotWidth, 1, "class=\"axis\"") +
               svgText(kPlotLeft - 8, axes.y(tick.value) + 4, "class=\"label\"", tick.text);
    return out + svgText(kPlotLeft - 8, kPlotTop - 12, "class=\"label\"", nameWithUnit(name, axes.up.unit));
}

// HeatPixels is a heat map as drawn: rows and columns of pixels. A pixel may represent several lines or
// points in time.
struct HeatPixels {
    size_t rows = 0, columns = 0;
    std::vector<double> values; // size: rows x columns; NaN: no value
    size_t below = 0;           // number of values below 0
};

HeatPixels heatPixelsOf(const HeatGrid& grid)
{
    HeatPixels pixels{
        std::min(kMaxHeatRows, grid.lines.size()), std::min(kMaxHeatColumns, grid.moments.size()), {}, 0};
    pixels.values.assign(pixels.rows * pixels.columns, std::numeric_limits<double>::quiet_NaN());
    for (size_t line = 0; line < grid.lines.size(); ++line) {
        for (size_t moment = 0; moment < grid.moments.size(); ++moment) {
            const double value = grid.at(line, moment).value;
            if (std::isnan(value)) continue;
            double& drawn = pixels.values[line * pixels.rows / grid.lines.size() * pixels.columns +
                                          moment * pixels.columns / grid.moments.size()];
            if (std::isnan(drawn) || value > drawn) drawn = value;
            pixels.below += value < 0;
        }
    }
    return pixels;
}

// Returns the color level of a value: 0 for zero, kHeatLevels if there is no value.
size_t heatLevelOf(double value, double largest)
{
    if (std::isnan(value)) return kHeatLevels;
    if (largest <= 0 || value <= 0) return 0;
    const double steps = static_cast<double>(kHeatLevels - 1);
    return std::clamp<size_t>(static_cast<size_t>(std::ceil(value / largest * steps)), 1, kHeatLevels - 1);
}

// Merges equal neighbors into one rectangle and all cells with the same level into one path, which keeps
// large maps small.
std::string heatCells(const HeatPixels& pixels, double cellWidth, double rowHeight, double largest)
{
    std::array<std::string, kHeatLevels + 1> paths;
    for (size_t row = 0; row < pixels.rows; ++row) {
        const double* const values = pixels.values.data() + row * pixels.columns;
        for (size_t begin = 0, end = 0; begin < pixels.columns; begin = end) {
            const size_t level = heatLevelOf(values[begin], largest);
            while (end < pixels.columns && heatLevelOf(values[end], largest) == level)
                ++end;
            const std::string width = svgNumber(static_cast<double>(end - begin) * cellWidth);
            paths[level] += "M" + svgNumber(kPlotLeft + static_cast<double>(begin) * cellWidth) + " " +
                            svgNumber(kPlotTop + static_cast<double>(row) * rowHeight) + "h" + width + "v" +
                            svgNumber(rowHeight) + "h-" + width + "z";
        }
    }
    std::string out;
    for (size_t level = 0; level < kHeatLevels; ++level)
        if (!paths[level].empty())
            out += "<path class=\"h" + std::to_string(level) + "\" d=\"" + paths[level] + "\"/>";
    if (!paths[kHeatLevels].empty()) out += "<path class=\"absent\" d=\"" + paths[kHeatLevels] + "\"/>";
    return out;
}

std::string heatScale(const Table& table, size_t column, double largest)
{
    const AxisUnit unit = axisUnitOf(table.column(column), largest);
    std::string out =
        svgText(kPlotLeft, 16, "class=\"figure\"", nameWithUnit(columnLabel(table, column), unit));
    double x = kPlotLeft + 260;
    out += svgText(x - 6, 16, "class=\"label\"", "0");
    for (size_t level = 0; level < kHeatLevels; ++level, x += 18)
        out += svgRect(x, 5, 18, 14, "class=\"h" + std::to_string(level) + "\"");
    std::array<char, 64> most{};
    std::snprintf(most.data(), most.size(), "%.4g", largest / unit.size);
    return out + svgText(x + 6, 16, "class=\"figure\"", most.data()) +
           svgRect(x + 70, 5, 18, 13, "class=\"absent\"") +
           svgText(x + 94, 16, "class=\"figure\"", "no value");
}

std::string heatLineNames(const HeatGrid& grid, size_t rows, double rowHeight)
{
    std::string out;
    const auto every = static_cast<size_t>(std::ceil(16 / rowHeight));
    for (size_t row = 0; row < rows; row += every) {
        const size_t line = (row * grid.lines.size() + rows - 1) / rows;
        out += svgText(kPlotLeft - 8, kPlotTop + (static_cast<double>(row) + 0.5) * rowHeight + 4,
                       "class=\"label\"", shortenedText(grid.lines[line], 44));
    }
    return out;
}

std::string histogramMarks(const HistogramBars& histogram, const PlotAxes& axes)
{
    using Bar = HistogramBars::Bar;
    // For each start pixel, the tallest bar among the bars that are at most a pixel wide.
    std::vector<const Bar*> narrow(static_cast<size_t>(kPlotWidth) + 1, nullptr);
    std::string out;
    const auto paint = [&](const Bar& bar) {
        const double left = axes.x(bar.from_ns), right = axes.x(bar.to_ns), top = axes.y(bar.count);
        const auto time = [](double ns) { return durationText(Duration{std::llround(ns)}); };
        out += svgRect(left, top, std::max(1.0, right - left - 1), axes.y(0) - top, "class=\"c0\"",
                       time(bar.from_ns) + " to " + time(bar.to_ns) + ": " +
                           groupedText(std::llround(bar.count)));
    };
    for (const Bar& bar : histogram.bars) {
        const double left = axes.x(bar.from_ns);
        if (axes.x(bar.to_ns) - left >= 2) {
            paint(bar);
            continue;
        }
        const double at = std::clamp((left - kPlotLeft) / 2, 0.0, kPlotWidth);
        const Bar*& tallest = narrow[static_cast<size_t>(at) * 2];
        if (tallest == nullptr || bar.count > tallest->count) tallest = &bar;
    }
    for (const Bar* const bar : narrow)
        if (bar != nullptr && bar->count > 0) paint(*bar);
    return out;
}

// Returns all curves if each can have its own color, otherwise the curves that are farthest from the others.
std::vector<size_t> distinctiveCurves(const StepCurves& curves)
{
    std::vector<size_t> kept;
    std::vector<double> means;
    for (size_t i = 0; i < curves.curves.size(); ++i) {
        kept.push_back(i);
        if (curves.curves[i].mean) means.push_back(*curves.curves[i].mean);
    }
    if (kept.size() <= kMaxSeries) return kept;
    std::ranges::sort(means);
    const double middle = means.empty() ? 0 : means[means.size() / 2];
    std::ranges::stable_sort(kept, std::greater{}, [&](size_t i) {
        const auto& mean = curves.curves[i].mean;
        return mean ? std::abs(*mean - middle) : -1;
    });
    kept.resize(kMaxSeries);
    std::ranges::sort(kept);
    return kept;
}

// Keeps the lowest and the highest point in each pixel.
std::vector<StepCurves::Point> seenPoints(const StepCurves::Curve& curve, const PlotAxes& axes)
{
    std::vector<StepCurves::Point> seen;
    for (size_t begin = 0, end = 0; begin < curve.points.size(); begin = end) {
        const auto pixel = [&](size_t i) { return std::floor(axes.x(curve.points[i].step)); };
        size_t low = begin, high = begin;
        for (; end < curve.points.size() && pixel(end) == pixel(begin); ++end) {
            if (curve.points[end].value < curve.points[low].value) low = end;
            if (curve.points[end].value > curve.points[high].value) high = end;
        }
        seen.push_back(curve.points[std::min(low, high)]);
        if (low != high) seen.push_back(curve.points[std::max(low, high)]);
    }
    return seen;
}

std::string curveSvg(const Table& table, const TableChart& chart, const StepCurves::Curve& curve,
                     const PlotAxes& axes, size_t color)
{
    const std::string c = "c" + std::to_string(color);
    std::string out;
    if (curve.interval) {
        const double top = axes.y(std::min(axes.up.to, curve.interval->high));
        const double bottom = axes.y(std::max(axes.up.from, curve.interval->low));
        out += svgRect(kPlotLeft, top, kPlotWidth, std::max(1.0, bottom - top), "class=\"band " + c + "\"",
                       "mean, 95 %");
    }
    const std::vector<StepCurves::Point> seen = seenPoints(curve, axes);
    std::string path;
    for (const StepCurves::Point& point : seen)
        if (point.counts)
            path += (path.empty() ? "M" : "L") + svgNumber(axes.x(point.step)) + " " +
                    svgNumber(axes.y(point.value));
    out += "<path class=\"curve s" + std::to_string(color) + "\" d=\"" + path + "\"/>";
    for (size_t i = 0; i < seen.size(); ++i) {
        if (seen.size() > kMaxDots && seen[i].counts) continue;
        out += "<circle class=\"" + (seen[i].counts ? c : "curve s" + std::to_string(color)) + "\" cx=\"" +
               svgNumber(axes.x(seen[i].step)) + "\" cy=\"" + svgNumber(axes.y(seen[i].value)) +
               "\" r=\"3.5\"><title>" +
               escapedMarkup(curve.name + (curve.name.empty() ? "" : ", ") + "step " +
                             table.cell(chart.along, seen[i].row) + ": " +
                             shownCell(table, chart.values[0], seen[i].row) +
                             (seen[i].counts ? "" : ", warm-up")) +
               "</title></circle>";
        if (i > 4 * kMaxDots) break;
    }
    return out;
}

std::string seriesNote(const StepCurves& curves, size_t shown)
{
    std::string note = "dots: steps; band: 95 % interval of the mean; hollow: warm-up (not counted)";
    if (shown < curves.curves.size())
        addNote(note, std::to_string(shown) + " of " + counted(curves.curves.size(), "curves") +
                          " shown: those farthest from their median");
    if (curves.rowsWithoutStep > 0)
        addNote(note, "values without a step, not drawn: " +
                          groupedText(static_cast<int64_t>(curves.rowsWithoutStep)));
    return note;
}

// Draws a heat map. If several lines or points in time share a cell, the cell shows their largest value.
// Returns "" if there is no cell.
std::string heatChartSvg(const Table& table, const TableChart& chart)
{
    const HeatGrid grid = heatGridOf(table, chart);
    if (grid.lines.empty() || grid.moments.empty()) return {};
    const HeatPixels pixels = heatPixelsOf(grid);
    const double cellWidth = std::floor(kPlotWidth / static_cast<double>(pixels.columns));
    const double rowHeight = std::clamp(std::floor(384 / static_cast<double>(pixels.rows)), 4.0, 18.0);
    const double bottom = kPlotTop + rowHeight * static_cast<double>(pixels.rows);
    std::string body = heatScale(table, chart.values[0], grid.largest) +
                       heatLineNames(grid, pixels.rows, rowHeight) +
                       heatCells(pixels, cellWidth, rowHeight, grid.largest);
    const size_t every = std::max<size_t>(1, (pixels.columns + 5) / 6);
    for (size_t column = 0; column < pixels.columns; column += every) {
        const size_t moment = (column * grid.moments.size() + pixels.columns - 1) / pixels.columns;
        const TableColumn& along = table.column(chart.along);
        const std::string text = along.type == ColumnType::time
                                     ? durationText(Duration{grid.moments[moment]})
                                     : fixedPointText(grid.moments[moment], along.decimals);
        body += svgText(kPlotLeft + (static_cast<double>(column) + 0.5) * cellWidth, bottom + 16,
                        "class=\"tick\"", text);
    }
    body +=
        svgText(kPlotLeft + kPlotWidth / 2, bottom + 36, "class=\"tick\"", columnLabel(table, chart.along));
    std::string note;
    if (pixels.rows < grid.lines.size() || pixels.columns < grid.moments.size())
        addNote(note, counted(grid.lines.size(), "lines") + " x " + counted(grid.moments.size(), "moments") +
                          " on " + std::to_string(pixels.rows) + " x " + std::to_string(pixels.columns) +
                          " cells: the largest value of each cell is drawn");
    if (grid.joined > 0)
        addNote(note, "rows that share a cell with another row: " +
                          groupedText(static_cast<int64_t>(grid.joined)) + " (the largest value is drawn)");
    if (pixels.below > 0)
        addNote(note, "values below 0, drawn as 0: " + groupedText(static_cast<int64_t>(pixels.below)));
    return framedChart(table.title() + ": " + table.column(chart.values[0]).name, bottom + kAxisRoom, body,
                       note);
}

// Draws a histogram for the first name in the table. If several bars share a pixel, the tallest is shown.
std::string histogramSvg(const Table& table, const TableChart& chart)
{
    const HistogramBars histogram = histogramBarsOf(table, chart, 0);
    if (std::ranges::none_of(histogram.bars, [](const auto& bar) { return bar.count > 0; })) return {};
    const PlotAxes axes{histogram.durations, histogram.counts};
    const std::string body = leftAxis(axes, histogram.countName) + histogramMarks(histogram, axes) +
                             bottomAxis(axes, "duration") +
                             svgText(kPlotLeft, 16, "class=\"figure\"", shortenedText(histogram.name, 70));
    std::string note;
    if (histogram.otherRows > 0)
        addNote(note, "first name only; rows with other names, not drawn: " +
                          groupedText(static_cast<int64_t>(histogram.otherRows)));
    return framedChart(table.title() + ": " + histogram.name, kPlotTop + kPlotHeight + kAxisRoom, body, note);
}

// Draws at most six curves: those whose means are farthest from the median of all means. Each curve has the
// 95% interval of its mean as a band.
std::string seriesChartSvg(const Table& table, const TableChart& chart)
{
    const StepCurves curves = stepCurvesOf(table, chart);
    const std::vector<size_t> shown = distinctiveCurves(curves);
    double from = std::numeric_limits<double>::infinity(), to = -from, low = 0, most = 0;
    for (const size_t i : shown) {
        for (const StepCurves::Point& point : curves.curves[i].points) {
            from = std::min(from, point.step);
            to = std::max(to, point.step);
            low = std::min(low, point.value);
            most = std::max(most, point.value);
        }
        if (curves.curves[i].interval) most = std::max(most, curves.curves[i].interval->high);
    }
    if (from > to) return {};
    const AxisUnit unit = axisUnitOf(table.column(chart.values[0]), std::max(most, -low));
    const PlotAxes axes{{from, to, {}, AxisScale::whole},
                        {low, std::max(most, low + unit.size) * 1.05, unit}};
    const std::string name = columnLabel(table, chart.values[0]);
    std::string body = leftAxis(axes, name);
    double legend = kPlotLeft;
    for (size_t i = 0; i < shown.size(); ++i) {
        const StepCurves::Curve& curve = curves.curves[shown[i]];
        body += curveSvg(table, chart, curve, axes, i);
        if (curve.name.empty()) continue;
        const std::string label = shortenedText(curve.name, shown.size() > 3 ? 10 : kSeriesLetters);
        body += svgRect(legend, 5, 12, 12, "class=\"c" + std::to_string(i) + "\"", curve.name) +
                svgText(legend + 17, 16, "class=\"figure\"", label);
        legend += 34 + 7 * static_cast<double>(label.size());
    }
    body += bottomAxis(axes, "step");
    return framedChart(table.title() + ": " + name, kPlotTop + kPlotHeight + kAxisRoom, body,
                       seriesNote(curves, shown.size()));
}

constexpr size_t kLabelLetters = 44;
constexpr size_t kColors = 6;

std::string colorClass(size_t color)
{
    return "class=\"c" + std::to_string(color % kColors) + "\"";
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
void retainOutliers(const Table& table, const std::vector<size_t>& columns, size_t most, BarRows& bars)
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
            retainOutliers(table, chart.values, most, bars);
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
                svgRect(kLabels, y, width, kBar, colorClass(0), figure) +
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
        body += svgRect(legend, 4, kBar, kBar, colorClass(i), name) +
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
            body += svgRect(x, y, width, kBar, colorClass(part),
                            columnLabel(table, parts[part]) + " " + shownCell(table, parts[part], row));
            x += width;
        }
    }
    return framedChart(table.title(), kLegend + static_cast<double>(bars.rows.size()) * kRow, body,
                       bars.note);
}

} // namespace

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
