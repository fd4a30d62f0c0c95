// SPDX-License-Identifier: Apache-2.0
// LaneTextPainter paints the text and bars in lane headers (except the lane names), legends, scale chips and
// flags, at the positions computed by layOut(). Part of LanePainter. UI thread.
#pragma once

#include <QFont>
#include <QPainter>

#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

class LaneTextPainter {
  public:
    // `theme` and `palette` must outlive the painter. `scale` is the number of device pixels per pixel at
    // scale 1.
    LaneTextPainter(const Theme& theme, const SlicePalette& palette, double scale);

    void paint(QPainter& painter, const DisplayLane& lane) const;
    void paint(QPainter& painter, const DisplayFlag& flag, const FrameMetrics& metrics) const;
    const QFont& boldFont() const { return m_boldFont; }

  private:
    void paint(QPainter& painter, const LaneText& text) const;
    int px(double atScaleOne) const;

    const Theme& m_theme;
    const SlicePalette& m_palette;
    double m_scale;
    QFont m_font;
    QFont m_boldFont;
};

} // namespace lockstep
