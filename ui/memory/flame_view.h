// SPDX-License-Identifier: Apache-2.0
// FlameView: draws a flame graph of memory as it was laid out, root on top, and lets a person point, choose
// and zoom by mouse and keys. It computes no layout: it asks for one when its width or the zoom changes. UI
// thread.
#pragma once

#include <QAbstractScrollArea>

#include "core/memory/flame_layout.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

namespace lockstep {

// All that is drawn; immutable once made.
struct FlamePicture {
    MemorySource source;
    MemoryMoment moment = 0;
    std::shared_ptr<const std::vector<FlameNode>> nodes;
    FlameLayout layout;
    uint32_t focus = 0;
    bool isSearched = false; // found_bytes mean something
};

class FlameView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit FlameView(QWidget* parent = nullptr);

    // nullptr: nothing. What was chosen is forgotten when the tree is another one.
    void setPicture(std::shared_ptr<const FlamePicture> picture);
    const FlamePicture* picture() const { return m_picture.get(); }
    void setTheme(const Theme& theme);
    // Of the picture's nodes; the root at first.
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

  private:
    void paintBox(QPainter& painter, const FlameBox& box) const;
    QColor colorOf(const FlameBox& box) const;
    std::optional<size_t> boxAt(QPoint position) const;
    // The box that shows a node; empty when it is merged or not below the focus.
    std::optional<size_t> boxOf(uint32_t node) const;
    void moveBy(int key);
    void fitScrollBar();

    std::shared_ptr<const FlamePicture> m_picture;
    uint32_t m_chosen = 0;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
