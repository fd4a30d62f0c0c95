// SPDX-License-Identifier: Apache-2.0
// LaneTextPainter: the words and bars of lane headers beside their names, legends, chips of scales, and
// flags. Part of LanePainter, and made by it; replays what layOut() decided. GUI thread.
#pragma once

#include <QFont>
#include <QPainter>

#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

class LaneTextPainter {
  public:
    // Both outlive it. scale: device pixels of one pixel at scale 1.
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
