// SPDX-License-Identifier: Apache-2.0
// TableChart describes how a table is drawn: the kind of chart, the columns that identify a row, and the
// columns whose values are drawn. chartOfTable() applies the chart rules of the table's analysis (ChartRule).
// If none applies, a table with names and total times gets bars. The window and all documents call this
// function, so they draw the same chart. Also computes the data for charts with their own axes (HeatGrid,
// StepCurves). Positions refer to the table's columns and rows. Pure functions of a table. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/chart_rule.h"
#include "core/analysis/student_t.h"
#include "core/analysis/table.h"

namespace lockstep {

struct TableChart {
    ChartKind kind = ChartKind::bars;
    std::vector<size_t> labels;  // columns whose cells, joined, are the name of a row or line; may be empty
                                 // for series
    std::vector<size_t> values;  // for stacked: the segments; for all other kinds: a single column
    size_t along = 0;            // for heatMap, histogram and series: the axis column
    std::optional<size_t> until; // for histogram: the column that contains the end of each bar
    // For bars: the 95% interval of the value, if the table contains one.
    std::optional<size_t> low, high;
};

// Returns nullopt if there is no chart for the table, or if no row has a value to draw.
std::optional<TableChart> chartOfTable(const Table& table);

// Returns "rank 3" or "node0 · actor": the nonempty cells in the row's label columns.
std::string chartLabel(const Table& table, const TableChart& chart, size_t row);
// Returns the legend label of a column: "non compute" for "non_compute_time_pctg".
std::string columnLabel(const Table& table, size_t column);

// Values by line and point in time. Values missing in the table are NaN.
struct HeatGrid {
    struct Cell {
        double value = 0;
        size_t row = 0;
    };
    std::vector<std::string> lines; // in table order
    std::vector<int64_t> moments;   // ascending values of the column `along`
    std::vector<Cell> cells;        // size: lines x points in time
    double largest = 0;             // largest value; at least 100 for a percentage
    size_t joined = 0;              // number of rows that share a cell with another row; the larger value is
                                    // shown
    const Cell& at(size_t line, size_t moment) const { return cells[line * moments.size() + moment]; }
};
HeatGrid heatGridOf(const Table& table, const TableChart& chart);

// Values by step, one line per name, with the mean over the counted steps and its 95% interval by Student's
// t. Uncounted steps (warm-up) are excluded from the mean.
struct StepCurves {
    struct Point {
        double step = 0, value = 0;
        size_t row = 0;
        bool counts = true;
    };
    struct Curve {
        std::string name; // name of each line; empty if there is only one line
        std::vector<Point> points;
        std::optional<double> mean;
        std::optional<MeanInterval> interval; // nullopt if fewer than two steps are counted
    };
    std::vector<Curve> curves;
    size_t rowsWithoutStep = 0; // number of rows with an unknown step, which are not drawn
};
StepCurves stepCurvesOf(const Table& table, const TableChart& chart);

} // namespace lockstep
