// SPDX-License-Identifier: Apache-2.0
// FocusRing: a line around the widget that Tab brought the keyboard to, until it goes elsewhere. Who clicks
// knows where the keyboard is and gets none. Over all else in its window; GUI thread.
#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

namespace lockstep {

class FocusRing : public QWidget {
    Q_OBJECT

  public:
    // The window owns it.
    explicit FocusRing(QWidget& window);

    // Around a widget of the window that has the keyboard now.
    void follow(QWidget& stop);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
    void leave();

    QPointer<QWidget> m_stop;
    QList<QPointer<QWidget>> m_watched; // it and what it stands in
};

} // namespace lockstep
