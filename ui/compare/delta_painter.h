// SPDX-License-Identifier: Apache-2.0
// The painters of a comparison: the titles of its halves, what lies between them, and its own ruler, which
// counts from where both begin. They decide nothing but colours. GUI thread, or the one that makes pictures.
#pragma once

#include <QPainter>
#include <QRect>
#include <QString>

#include "core/timeline/delta_layout.h"
#include "ui/style/theme.h"

namespace lockstep {

constexpr int kDeltaHeight = 44; // pixels at scale 1
constexpr int kSideTitleHeight = 21;

// What all of a comparison's parts are drawn with.
struct ComparisonLook {
    const Theme* theme = &lightTheme();
    double scale = 1;      // device pixels of one pixel at scale 1
    int headerWidth = 260; // device pixels
    int px(double atScaleOne) const;

    friend bool operator==(const ComparisonLook&, const ComparisonLook&) = default;
};

// area: in device pixels, headers included.
void paintDelta(QPainter& painter, const QRect& area, const ComparisonLook& look, const DeltaStrip& strip);
// mark: "A" or "B".
void paintSideTitle(QPainter& painter, const QRect& area, const ComparisonLook& look, const QString& mark,
                    const QString& title, const QString& facts);
// visible: since the begin of both halves.
void paintRelativeRuler(QPainter& painter, const QRect& area, const ComparisonLook& look, TimeRange visible);

} // namespace lockstep
