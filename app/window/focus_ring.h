// SPDX-License-Identifier: Apache-2.0
// FocusRing draws a frame around a widget that received the focus through the Tab key. The frame disappears
// when the focus moves. A click does not show the frame. The ring is on top of all widgets of its window. UI
// thread.
#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

namespace lockstep {

class FocusRing : public QWidget {
    Q_OBJECT

  public:
    // The window owns the ring.
    explicit FocusRing(QWidget& window);

    // Shows the ring around `stop`, a widget of the window that has the focus.
    void follow(QWidget& stop);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
    void leave();

    QPointer<QWidget> m_stop;
    QList<QPointer<QWidget>> m_watched; // the widget and its ancestors
};

} // namespace lockstep
