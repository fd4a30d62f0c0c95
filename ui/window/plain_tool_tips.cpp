// SPDX-License-Identifier: Apache-2.0
#include "ui/window/plain_tool_tips.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace lockstep {

PlainToolTips::PlainToolTips(QObject* parent) : QObject(parent)
{
    QCoreApplication::instance()->installEventFilter(this);
}

// Qt shows every tooltip in the same kind of label, and polishes the label before it sets the text.
bool PlainToolTips::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Polish && watched->inherits("QTipLabel"))
        static_cast<QLabel*>(watched)->setTextFormat(Qt::PlainText);
    return QObject::eventFilter(watched, event);
}

} // namespace lockstep
