// SPDX-License-Identifier: Apache-2.0
// The look of the charts that are drawn by Qt Charts. UI thread.
#pragma once

#include <cstddef>

class QChartView;
class QString;
class QValueAxis;

namespace lockstep {

struct ChartAxis;
struct Theme;

// Sets the properties that do not depend on the theme: margins, no frame, and the legend below the chart.
void setUpChart(QChartView& view);
// Sets the colors and fonts of the window, title, legend and all axes. The caller colors the series.
void setChartTheme(QChartView& view, const Theme& theme);

// Gives `shown` the range of `axis`, in the unit of its labels, and about `count` ticks at round values. The
// suffix is appended to the labels; ASCII only, because Qt Charts garbles other characters.
void setAxisRange(QValueAxis& shown, const ChartAxis& axis, size_t count, const QString& suffix);

} // namespace lockstep
