// SPDX-License-Identifier: Apache-2.0
// FlameView: draws a flame graph as it was laid out, root on top, and lets a person point, choose and zoom by
// mouse and keys. What frames are called, how large and of what colour they are says a FlameChart. The view
// computes no layout: it asks for one when its width or the zoom changes. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QAbstractScrollArea>

#include "core/base/flame_layout.h"
#include "ui/style/theme.h"

namespace lockstep {

// All that is drawn; immutable once made.
struct FlameChart {
    FlameLayout layout;
    uint32_t focus = 0;

    virtual ~FlameChart() = default;
    virtual size_t frameCount() const = 0;
    virtual uint32_t parentOf(uint32_t node) const = 0;
    virtual uint32_t depthOf(uint32_t node) const = 0;
    // The same tree as another chart's: what was chosen there is here too.
    virtual bool isTreeOf(const FlameChart& other) const = 0;
    virtual QString textOf(const FlameBox& box) const = 0; // of one frame
    virtual QString sizeText(const FlameBox& box) const = 0;
    virtual QColor colorOf(const FlameBox& box, const Theme& theme) const = 0;
    virtual bool isFramed(const FlameBox&) const { return false; } // by a line, as what was searched for
};

class FlameView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit FlameView(QWidget* parent = nullptr);

    // nullptr: nothing. What was chosen is forgotten when the tree is another one.
    void setChart(std::shared_ptr<const FlameChart> chart);
    const FlameChart* chart() const { return m_chart.get(); }
    void setTheme(const Theme& theme);
    void setRowHeight(int atScaleOne);
    // Of the chart's frames; the root at first.
    uint32_t chosen() const { return m_chosen; }
    void choose(uint32_t node);
    // What is written in a frame, and what a screen reader is told of it.
    QString textOf(const FlameBox& box) const;
    QRect rectOf(const FlameBox& box) const;
    int drawWidth() const { return std::max(1, viewport()->width() - 1); }

  signals:
    void chosenChanged(uint32_t node);
    void focusRequested(uint32_t node); // it should fill the width
    void layoutRequested();             // the width is another

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    void paintBox(QPainter& painter, const FlameBox& box) const;
    std::optional<size_t> boxAt(QPoint position) const;
    // The box that shows a node; empty when it is merged or not below the focus.
    std::optional<size_t> boxOf(uint32_t node) const;
    int rowHeight() const;
    void moveBy(int key);
    void fitScrollBar();

    std::shared_ptr<const FlameChart> m_chart;
    uint32_t m_chosen = 0;
    int m_rowHeight = 28; // at scale 1
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
