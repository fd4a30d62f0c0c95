// SPDX-License-Identifier: Apache-2.0
// Painters of a comparison: the titles of the panes, the strip that shows the differences between them, and
// the relative ruler, which starts at zero on both sides. The painters only choose colors; the layout is
// computed elsewhere. UI thread, or the thread that exports images.
#pragma once

#include <QPainter>
#include <QRect>
#include <QString>

#include "core/compare/difference_strip.h"
#include "ui/style/theme.h"

namespace lockstep {

constexpr int kDeltaHeight = 44; // pixels at scale 1
constexpr int kSideTitleHeight = 21;

// ComparisonLook holds the theme and the sizes that all parts of a comparison share.
struct ComparisonLook {
    const Theme* theme = &lightTheme();
    double scale = 1;      // device pixels per pixel at scale 1
    int headerWidth = 260; // device pixels
    int px(double atScaleOne) const;

    friend bool operator==(const ComparisonLook&, const ComparisonLook&) = default;
};

// area: in device pixels, including the lane headers.
void paintDelta(QPainter& painter, const QRect& area, const ComparisonLook& look,
                const DifferenceStrip& strip);
// mark: "A" or "B".
void paintSideTitle(QPainter& painter, const QRect& area, const ComparisonLook& look, const QString& mark,
                    const QString& title, const QString& facts);
// visible: range relative to the start of each side.
void paintRelativeRuler(QPainter& painter, const QRect& area, const ComparisonLook& look, TimeRange visible);

} // namespace lockstep
