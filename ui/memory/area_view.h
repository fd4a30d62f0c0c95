// SPDX-License-Identifier: Apache-2.0
// AreaView shows an AreaPicture with axes and a cursor; mouse and keys move the cursor, zoom and pan. When
// size or range changes, the view requests a new image and stretches the old one until the new one arrives.
// UI thread.
#pragma once

#include <QWidget>

#include "core/analysis/chart_axis.h"
#include "ui/memory/area_picture.h"

namespace lockstep {

class AreaView : public QWidget {
    Q_OBJECT

  public:
    explicit AreaView(const QString& name, QWidget* parent = nullptr);

    void setPicture(std::shared_ptr<const AreaPicture> picture);
    const AreaPicture* picture() const { return m_picture.get(); }
    void setTheme(const Theme& theme);
    // Sets the points in time to mark with a line in the error color.
    void setMarks(std::vector<MemoryMoment> marks);

    // Returns the rectangle of the areas, in widget pixels. Images are created for the size of this rectangle
    // in device pixels.
    QRect plot() const;
    QSize plotPixels() const { return plot().size() * devicePixelRatioF(); }
    // Sets the shared cursor and the selected block. The block is outlined if it has its own area.
    void setPointed(std::optional<MemoryMoment> moment, BlockLifeId life);
    // Returns true if the image draws the selected block separately.
    bool isPointedBlockDrawn() const { return m_pointedArea.has_value(); }
    // Returns the block under the cursor if it has its own area, otherwise an invalid id.
    BlockLifeId cursorBlock() const;

    // Start and end of the displayed part of the history. While an image is being computed, start and end of
    // the requested part.
    double from() const { return m_from; }
    double until() const { return m_until; }
    void setRange(double from, double until);
    // Returns the image's column under the cursor, or -1.
    int cursorColumn() const;
    std::optional<MemoryMoment> cursorMoment() const;
    // Returns a one-line description of the area under the cursor.
    QString cursorText() const;

  signals:
    void pictureRequested();
    void cursorMoved();
    void activated(MemoryMoment moment); // emitted on Enter or a double click
    void picked();                       // the area under the cursor was picked by click or Space

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    const Theme& look() const { return *m_theme; }

  private:
    void zoom(double factor, double around);
    void pan(double share);
    void placeCursor(QPoint position);
    void paintAxes(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintPointed(QPainter& painter, const QRectF& target) const;
    void findPointedArea();
    ChartAxis momentAxis() const;

    std::shared_ptr<const AreaPicture> m_picture;
    std::vector<MemoryMoment> m_marks;
    double m_from = 0, m_until = 1;
    QPointF m_cursor{-1, -1}; // as fractions of the plot size
    QPoint m_grabbed, m_pressed;
    std::optional<MemoryMoment> m_pointedMoment;
    BlockLifeId m_pointedLife;
    std::optional<size_t> m_pointedArea; // area of the selected block in the image
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
