// SPDX-License-Identifier: Apache-2.0
// TableChart: which chart a table gets, decided here alone, so that a document and the window draw the same:
// what kind, which columns name a row, which are drawn. What charts with axes of their own are made of
// (HeatGrid, StepCurves) is worked out here too. Pure functions of a table; any thread. Positions are the
// table's columns and rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/student_t.h"
#include "core/analysis/table.h"

namespace lockstep {

enum class ChartKind : uint8_t {
    bars,      // a bar a row, as long as its value
    stacked,   // a bar a row, filled by its parts: percentages of one whole
    heatMap,   // a line for each name, a column for each moment, a colour for each value
    histogram, // a bar a row, from one value to another
    series     // a value for each step, with a line for each name
};

struct TableChart {
    ChartKind kind = ChartKind::bars;
    std::vector<size_t> labels;  // their cells, joined, name a row or a line; may be empty for series
    std::vector<size_t> values;  // of stacked the parts, of all others one
    size_t along = 0;            // of heatMap, histogram and series: the column of the axis
    std::optional<size_t> until; // of histogram: where a bar ends
    // Of bars: the 95 % interval of the value, where the table has one.
    std::optional<size_t> low, high;
};

// Empty: the table has none, or no row has what it would show.
std::optional<TableChart> chartOfTable(const Table& table);

// "rank 3", "node0 · actor": the cells of the label columns that the row has.
std::string chartLabel(const Table& table, const TableChart& chart, size_t row);
// "non_compute_time_pctg": "non compute".
std::string chartWord(const Table& table, size_t column);

// Values by line and moment. What the table does not have is NaN.
struct HeatGrid {
    struct Cell {
        double value = 0;
        size_t row = 0;
    };
    std::vector<std::string> lines; // in the order of the table
    std::vector<int64_t> moments;   // ascending: numbers of the column `along`
    std::vector<Cell> cells;        // lines x moments
    double largest = 0;             // of a percentage 100
    size_t joined = 0;              // rows that fell on a cell which another had: the larger one stands
    const Cell& at(size_t line, size_t moment) const { return cells[line * moments.size() + moment]; }
};
HeatGrid heatGridOf(const Table& table, const TableChart& chart);

// Values by step, a line for each name; the mean over the steps that count and its 95 % interval by
// Student's t, which steps that do not count (warm-up) have no part in.
struct StepCurves {
    struct Point {
        double step = 0, value = 0;
        size_t row = 0;
        bool counts = true;
    };
    struct Curve {
        std::string name; // empty where there is only one
        std::vector<Point> points;
        std::optional<double> mean;
        std::optional<MeanInterval> interval; // absent for less than two steps
    };
    std::vector<Curve> curves;
    size_t withoutStep = 0; // rows whose step is not known: not drawn
};
StepCurves stepCurvesOf(const Table& table, const TableChart& chart);

} // namespace lockstep
