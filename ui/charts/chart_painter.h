// SPDX-License-Identifier: Apache-2.0
// The elements that painted charts have in common: fonts, axes, stacked bars and legends, in the colors of a
// theme. UI thread.
#pragma once

#include <span>

#include <QColor>
#include <QFont>
#include <QRect>
#include <QString>

#include "core/analysis/chart_axis.h"

class QFontMetrics;
class QPainter;

namespace lockstep {

struct Theme;

QFont chartFont();      // text
QFont chartLabelFont(); // axes and legends
QFont chartTitleFont();

// Paints tick marks below `plot` and their labels, with units, in the line of text below. Labels without room
// are left out.
void paintBottomAxis(QPainter& painter, const ChartAxis& axis, const QRect& plot, const Theme& theme);
// Paints lines across `plot` and their labels on its left.
void paintLeftAxis(QPainter& painter, const ChartAxis& axis, const QRect& plot, const Theme& theme);
// Returns the room that the labels need on the left of a plot.
int leftAxisWidth(const ChartAxis& axis, int plotHeight, const QFontMetrics& metrics);

struct BarSegment {
    double value = 0;
    QColor color;
    QString text = {}; // painted if it fits into the segment
};
// Paints segments one after another. The length of `bar` represents the value `whole`; segments beyond it are
// cut off. Returns the x coordinate after the last segment.
int paintStackedBar(QPainter& painter, const QRect& bar, double whole, std::span<const BarSegment> segments);

// Paints the texts of the segments, each after a square in its color, at the right end of `line`.
void paintLegend(QPainter& painter, const QRect& line, std::span<const BarSegment> segments);

} // namespace lockstep
