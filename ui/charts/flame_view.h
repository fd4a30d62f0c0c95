// SPDX-License-Identifier: Apache-2.0
// FlameView draws a laid-out flame graph, root on top, and lets the user point at frames, select a frame and
// zoom, by mouse and keys. A FlameChart supplies the names, sizes and colors of the frames. The view computes
// no layout itself: it requests one when its width or the zoom changes. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QAbstractScrollArea>

#include "core/base/flame_layout.h"
#include "ui/style/theme.h"

namespace lockstep {

// FlameChart is the data of the drawn graph; immutable after construction.
struct FlameChart {
    FlameLayout layout;
    uint32_t focus = 0;

    virtual ~FlameChart() = default;
    virtual size_t frameCount() const = 0;
    virtual uint32_t parentOf(uint32_t node) const = 0;
    virtual uint32_t depthOf(uint32_t node) const = 0;
    // Returns true if the other chart has the same tree, so that the selected frame remains valid.
    virtual bool isTreeOf(const FlameChart& other) const = 0;
    virtual QString textOf(const FlameBox& box) const = 0; // text of one frame
    virtual QString sizeText(const FlameBox& box) const = 0;
    virtual QColor colorOf(const FlameBox& box, const Theme& theme) const = 0;
    virtual bool isFramed(const FlameBox&) const
    {
        return false;
    } // drawn with an outline, for example a search hit
};

class FlameView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit FlameView(QWidget* parent = nullptr);

    // Sets the chart; nullptr for none. If the new chart has a different tree, the selection returns to the
    // root.
    void setChart(std::shared_ptr<const FlameChart> chart);
    const FlameChart* chart() const { return m_chart.get(); }
    void setTheme(const Theme& theme);
    void setRowHeight(int atScaleOne);
    // Returns the selected frame; initially the root.
    uint32_t chosen() const { return m_chosen; }
    void choose(uint32_t node);
    // Returns the text of a frame, also for screen readers.
    QString textOf(const FlameBox& box) const;
    QRect rectOf(const FlameBox& box) const;
    int drawWidth() const { return std::max(1, viewport()->width() - 1); }

  signals:
    void chosenChanged(uint32_t node);
    void focusRequested(uint32_t node); // the frame should fill the width
    void layoutRequested();             // the width changed

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
    // Returns the box that shows a node; nullopt if the node is merged into another box or is not below the
    // focused frame.
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
