// SPDX-License-Identifier: Apache-2.0
#include "app/window/focus_ring.h"

#include <utility>

#include <QApplication>
#include <QEvent>
#include <QPainter>

namespace lockstep {

FocusRing::FocusRing(QWidget& window) : QWidget(&window)
{
    setObjectName("focusRing");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now != m_stop) leave();
    });
}

void FocusRing::follow(QWidget& stop)
{
    leave();
    m_stop = &stop;
    // The widget also moves when one of its ancestors moves.
    for (QWidget* at = &stop; at != nullptr; at = at == window() ? nullptr : at->parentWidget()) {
        at->installEventFilter(this);
        m_watched << at;
    }
    place();
    show();
    raise();
}

void FocusRing::leave()
{
    for (const QPointer<QWidget>& at : std::exchange(m_watched, {})) {
        if (at != nullptr) at->removeEventFilter(this);
    }
    m_stop = nullptr;
    hide();
}

// Draws over the widget's edge, because there may be no room around the widget.
void FocusRing::place()
{
    if (m_stop == nullptr) return;
    setGeometry(QRect(m_stop->mapTo(window(), QPoint(0, 0)), m_stop->size()));
}

void FocusRing::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type == QEvent::Hide && watched == m_stop) leave();
    if (type == QEvent::Move || type == QEvent::Resize || type == QEvent::LayoutRequest) place();
    return QWidget::eventFilter(watched, event);
}

} // namespace lockstep
