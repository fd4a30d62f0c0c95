// SPDX-License-Identifier: Apache-2.0
#include "ui/run/toggle_switch.h"

#include <QPainter>

#include "ui/style/style_sheet.h"

namespace lockstep {

void ToggleSwitch::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

QSize ToggleSwitch::sizeHint() const
{
    return {scaledPixels(38) + fontMetrics().horizontalAdvance(text()),
            std::max(scaledPixels(22), fontMetrics().height())};
}

bool ToggleSwitch::hitButton(const QPoint& position) const
{
    return rect().contains(position);
}

void ToggleSwitch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double tall = scaledPixels(15), wide = scaledPixels(28), top = (height() - tall) / 2;
    const QColor body = isChecked() ? m_theme->accent : mixed(m_theme->panel, m_theme->mutedText, 0.35);
    painter.setPen(hasFocus() ? QPen(m_theme->text, 1) : QPen(Qt::NoPen));
    painter.setBrush(isEnabled() ? body : mixed(m_theme->window, body, 0.4));
    painter.drawRoundedRect(QRectF(0.5, top, wide, tall), tall / 2, tall / 2);
    const double knob = tall - 4;
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme->isDark ? m_theme->window : QColor(Qt::white));
    painter.drawEllipse(QRectF(isChecked() ? wide - knob - 1.5 : 2.5, top + 2, knob, knob));
    painter.setPen(isEnabled() ? m_theme->text : m_theme->mutedText);
    painter.drawText(rect().adjusted(scaledPixels(36), 0, 0, 0), Qt::AlignVCenter, text());
}

} // namespace lockstep
