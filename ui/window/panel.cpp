// SPDX-License-Identifier: Apache-2.0
#include "ui/window/panel.h"

namespace lockstep {

Panel::Panel(const QString& title, Placement placement, QWidget* parent)
    : QWidget(parent), m_title(title), m_placement(placement)
{
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(title);
}

void Panel::setScene(ScenePtr scene)
{
    const bool isLast = !m_scene->open.isEmpty() && scene->open.isEmpty();
    m_scene = std::move(scene);
    m_isOutdated = true;
    // Closed reports must be released even by invisible panels.
    catchUp(isLast);
}

void Panel::setUncovered(bool isUncovered)
{
    m_isUncovered = isUncovered;
    catchUp();
}

void Panel::outdate()
{
    m_isOutdated = true;
    catchUp();
}

void Panel::catchUp(bool isAlsoHidden)
{
    if (!m_isOutdated || !(isEffectivelyVisible() || isAlsoHidden)) return;
    m_isOutdated = false;
    rebuild();
}

QString Panel::noRangeText()
{
    return tr("No range selected. Drag on the ruler or over lanes to select one.");
}

void Panel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    catchUp();
}

} // namespace lockstep
