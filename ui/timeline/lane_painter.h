// SPDX-License-Identifier: Apache-2.0
// LanePainter paints a display list: backgrounds, headers, shapes, labels, links and markers. The display
// list determines everything except the colors. UI thread, or the one thread that exports images.
#pragma once

#include <functional>

#include <QFont>
#include <QImage>
#include <QPainter>

#include "core/base/workers.h"
#include "core/lanes/lane_tree.h"
#include "ui/timeline/label_masks.h"
#include "ui/timeline/lane_text_painter.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

class LanePainter {
  public:
    // `scale` is the number of device pixels per pixel at scale 1. `theme` must outlive the painter.
    LanePainter(const Theme& theme, double scale, Workers workers);
    LanePainter(const LanePainter&) = delete;
    LanePainter& operator=(const LanePainter&) = delete;

    // Paints the entire list into an RGB32 image of the list's size. A frame is drawn around `focusedLane`;
    // kNoLane for none.
    void paint(QImage& image, const DisplayList& list, const LaneTree& tree,
               uint32_t focusedLane = kNoLane) const;
    // Repaints only the headers, in an image that paint() filled from a list with the same lanes.
    void paintHeaders(QImage& image, const DisplayList& list, const LaneTree& tree,
                      uint32_t focusedLane = kNoLane) const;
    // Paints the list as vector graphics, for SVG and PDF.
    void paint(QPainter& painter, const DisplayList& list, const LaneTree& tree) const;

    const QFont& font() const { return m_font; }

  private:
    void paintBackground(QPainter& painter, const DisplayList& list, bool pinned, int width) const;
    void paintHeaderBand(QPainter& painter, const DisplayList& list, const LaneTree& tree, bool pinned) const;
    void paintFocus(QPainter& painter, const DisplayList& list, uint32_t focusedLane) const;
    void paintBand(QPainter& painter, const DisplayList& list, const LaneTree& tree, bool pinned) const;
    void paintHeader(QPainter& painter, const DisplayLane& lane, const Lane& of,
                     const DisplayList& list) const;
    void paintLabels(QPainter& painter, const DisplayRow& row, const DisplayList& list) const;
    void paintAreaLabels(QPainter& painter, const DisplayRow& row, const DisplayList& list) const;
    void paintOverlay(QPainter& painter, const DisplayList& list) const;
    void paintAreas(QPainter& painter, const DisplayList& list) const;
    void paintRange(QPainter& painter, const DisplayList& list) const;
    void paintLinks(QPainter& painter, const DisplayList& list) const;
    void paintShapes(QPainter& painter, const DisplayRow& row, const DisplayList& list,
                     const QRect& band) const;
    // Fills the pixels of the area for which isOn(x, y) is true, as one shape. x and y are relative to
    // `corner`.
    void paintPixels(QPainter& painter, const QRect& area, QPoint corner, const QColor& color,
                     const std::function<bool(int, int)>& isOn) const;

    int px(double atScaleOne) const;

    const Theme& m_theme;
    double m_scale;
    Workers m_workers;
    SlicePalette m_palette;
    QFont m_font;
    LaneTextPainter m_texts;
    mutable LabelMasks m_labels; // used only for raster images
};

} // namespace lockstep
