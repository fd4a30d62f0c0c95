// SPDX-License-Identifier: Apache-2.0
#include "app/window/full_height_button.h"

#include <QAction>
#include <QChildEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QTabBar>
#include <QToolButton>

#include "ui/style/style_sheet.h"

namespace lockstep {

FullHeightButton::FullHeightButton(QAction& action, QMainWindow& window, QWidget* neighbor)
    : QWidget(&window), m_window(window), m_button(new QToolButton(this)), m_key(new QLabel(this))
{
    auto* const line = new QHBoxLayout(this);
    // The same margin at the top as the tabs.
    line->setContentsMargins(0, scaledPixels(3), scaledPixels(10), 0);
    line->setSpacing(scaledPixels(4));
    if (neighbor != nullptr) line->addWidget(neighbor);
    line->addWidget(m_button);
    line->addWidget(m_key, 0, Qt::AlignVCenter);
    m_key->setFixedHeight(scaledPixels(19));
    m_button->setProperty("flat", true);
    m_button->setToolTip(action.toolTip());
    m_button->setFocusPolicy(Qt::TabFocus);
    m_key->setProperty("key", true);
    const auto showKey = [this, &action] {
        m_key->setText(action.shortcut().toString(QKeySequence::NativeText).replace("Shift+", "\u21E7 "));
        m_key->setVisible(!action.shortcut().isEmpty());
        m_placeTimer.start();
    };
    connect(&action, &QAction::changed, this, showKey);
    connect(m_button, &QToolButton::clicked, &action, &QAction::trigger);
    m_placeTimer.setSingleShot(true);
    connect(&m_placeTimer, &QTimer::timeout, this, &FullHeightButton::place);
    window.installEventFilter(this);
    setFull(false);
    hide();
}

void FullHeightButton::setFull(bool isFull)
{
    m_button->setText(isFull ? tr("Restore height") : tr("Full height"));
    place();
}

QTabBar* FullHeightButton::tabs() const
{
    QTabBar* lowest = nullptr;
    for (QTabBar* const each : m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (each->isVisible() && each->count() > 1 && (lowest == nullptr || each->y() > lowest->y()))
            lowest = each;
    }
    return lowest;
}

// Hides the button if it would cover a tab. The shortcut and the menu entry remain available.
void FullHeightButton::place()
{
    const QTabBar* const bar = tabs();
    if (bar == nullptr) return hide();
    const QSize size(sizeHint().width(), bar->height() - scaledPixels(1));
    const QRect last = bar->tabRect(bar->count() - 1);
    const QRect area(QPoint(m_window.width() - size.width(), bar->y()), size);
    setGeometry(area);
    setVisible(bar->x() + last.right() + scaledPixels(8) < area.left());
    raise();
}

bool FullHeightButton::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::ChildAdded:
        if (auto* const bar = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child()))
            bar->installEventFilter(this);
        break;
    case QEvent::ChildPolished:
        if (auto* const bar = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child()))
            bar->installEventFilter(this);
        [[fallthrough]];
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::LayoutRequest:
    case QEvent::StyleChange:
        m_placeTimer.start();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockstep
