// SPDX-License-Identifier: Apache-2.0
// AreaView: shows an AreaPicture with its axes and a cursor, and lets a person point, zoom and pan by mouse
// and keys. It asks for another picture when its size or its range changes, and stretches the old one until
// then. UI thread.
#pragma once

#include <QWidget>

#include "ui/memory/area_picture.h"

namespace lockstep {

class AreaView : public QWidget {
    Q_OBJECT

  public:
    explicit AreaView(const QString& name, QWidget* parent = nullptr);

    void setPicture(std::shared_ptr<const AreaPicture> picture);
    const AreaPicture* picture() const { return m_picture.get(); }
    void setTheme(const Theme& theme);
    // Marked with a line in the colour of what went wrong.
    void setMarks(std::vector<MemoryMoment> marks);

    // Where the areas are, px of this widget; its size in device pixels is what a picture is made for.
    QRect plot() const;
    QSize plotPixels() const { return plot().size() * devicePixelRatioF(); }
    // The cursor of all views, and the selected block, which is outlined where it has an area of its own.
    void setPointed(std::optional<MemoryMoment> moment, BlockLifeId life);
    // Whether the picture draws the selected block by itself.
    bool isPointedBlockDrawn() const { return m_pointedArea.has_value(); }
    // The block that has an area of its own under the cursor.
    BlockLifeId cursorBlock() const;

    // The part of the history that is shown, or will be once the picture is made.
    double from() const { return m_from; }
    double until() const { return m_until; }
    void setRange(double from, double until);
    // The column of the picture that the cursor is on; -1: none.
    int cursorColumn() const;
    std::optional<MemoryMoment> cursorMoment() const;
    // What lies under the cursor, in one line.
    QString cursorText() const;

  signals:
    void pictureRequested();
    void cursorMoved();
    void activated(MemoryMoment moment); // Enter or a double click
    void picked();                       // what is under the cursor, by a click or Space

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
    void putCursor(QPoint position);
    void paintAxes(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintPointed(QPainter& painter, const QRectF& target) const;
    void findPointedArea();
    QString tickText(double share) const;

    std::shared_ptr<const AreaPicture> m_picture;
    std::vector<MemoryMoment> m_marks;
    double m_from = 0, m_until = 1;
    QPointF m_cursor{-1, -1}; // share of the plot
    QPoint m_grabbed, m_pressed;
    std::optional<MemoryMoment> m_pointedMoment;
    BlockLifeId m_pointedLife;
    std::optional<size_t> m_pointedArea; // of the picture
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
