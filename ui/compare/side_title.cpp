// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/side_title.h"

#include <cmath>

#include <QPainter>

namespace lockstep {

SideTitle::SideTitle(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void SideTitle::setTexts(const QString& mark, const QString& title, const QString& facts)
{
    m_mark = mark;
    m_title = title;
    m_facts = facts;
    setAccessibleName(mark + ": " + title);
    setAccessibleDescription(facts);
    setToolTip(facts.isEmpty() ? title : title + '\n' + facts);
    update();
}

void SideTitle::setLook(const ComparisonLook& look)
{
    if (look == m_look) return;
    m_look = look;
    updateGeometry();
    update();
}

QSize SideTitle::sizeHint() const
{
    return {100, static_cast<int>(std::lround(m_look.px(kSideTitleHeight) / devicePixelRatioF()))};
}

void SideTitle::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    paintSideTitle(painter, QRect(0, 0, int(width() * ratio), int(height() * ratio)), m_look, m_mark, m_title,
                   m_facts);
}

} // namespace lockstep
