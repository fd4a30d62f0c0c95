// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/hover_card.h"

#include <QPainter>

#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kPadding = 10;
constexpr int kMaxCardWidth = 460;
constexpr int kFromMouse = 14;

QFont titleFont(double scale)
{
    QFont font = timelineFont(scale);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

HoverCard::HoverCard(QWidget* parent) : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void HoverCard::showLines(const QStringList& lines, QPoint at, const Theme& theme, double scale)
{
    m_lines = lines;
    m_theme = &theme;
    m_scale = scale;
    if (lines.isEmpty()) return hide();
    const QFontMetrics title(titleFont(scale)), body(timelineFont(scale));
    const int padding = static_cast<int>(kPadding * scale), widest = static_cast<int>(kMaxCardWidth * scale);
    int width = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        width = std::max(width, (i == 0 ? title : body).horizontalAdvance(lines[i]));
    }
    const int height = static_cast<int>(lines.size()) * (body.height() + 3) + 2 * padding - 3;
    resize(std::min(width, widest) + 2 * padding, height);
    QPoint position = at + QPoint(kFromMouse, kFromMouse);
    if (position.x() + this->width() > parentWidget()->width())
        position.setX(at.x() - kFromMouse - this->width());
    if (position.y() + height > parentWidget()->height()) position.setY(at.y() - kFromMouse - height);
    move(std::max(0, position.x()), std::max(0, position.y()));
    show();
    raise();
    update();
}

void HoverCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme->line, 1));
    painter.setBrush(m_theme->panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const int padding = static_cast<int>(kPadding * m_scale);
    int y = padding;
    for (qsizetype i = 0; i < m_lines.size(); ++i) {
        const QFont font = i == 0 ? titleFont(m_scale) : timelineFont(m_scale);
        const QFontMetrics metrics(font);
        painter.setFont(font);
        painter.setPen(i == 0 ? m_theme->text : m_theme->mutedText);
        painter.drawText(
            padding, y + metrics.ascent(),
            metrics.elidedText(m_lines[i], i == 0 ? Qt::ElideMiddle : Qt::ElideRight, width() - 2 * padding));
        y += metrics.height() + 3;
    }
}

} // namespace lockstep
