// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/length_view.h"

#include <algorithm>
#include <cstdlib>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString lengthText(int64_t ns)
{
    return QString::fromStdString(durationText({std::abs(ns)}, 3));
}

QString signedText(int64_t ns)
{
    return (ns < 0 ? QString(QChar(0x2212)) : QString("+")) + lengthText(ns);
}

} // namespace

LengthView::LengthView(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Step length by time on the critical path"));
}

void LengthView::setChange(const std::optional<LengthChange>& change, const QString& a, const QString& b,
                           const QString& hint)
{
    m_change = change;
    m_a = a;
    m_b = b;
    m_hint = hint;
    QStringList words;
    for (const Line& line : lines())
        words << line.label + ' ' +
                     (line.isEnd ? lengthText(line.to_ns) : signedText(line.to_ns - line.from_ns));
    setAccessibleDescription(words.isEmpty() ? hint : words.join("; "));
    update();
}

void LengthView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

QSize LengthView::sizeHint() const
{
    return {scaledPixels(310), firstRow() + rowHeight() * static_cast<int>(kParts + 3)};
}

QSize LengthView::minimumSizeHint() const
{
    return {scaledPixels(230), scaledPixels(60)};
}

int LengthView::rowHeight() const
{
    const int lines = m_change ? static_cast<int>(m_change->parts.size()) + 2 : 1;
    return std::clamp((height() - firstRow() - scaledPixels(4)) / std::max(1, lines), fontMetrics().height(),
                      scaledPixels(24));
}

int LengthView::firstRow() const
{
    return scaledPixels(8) + 2 * fontMetrics().lineSpacing() + scaledPixels(4);
}

std::vector<LengthView::Line> LengthView::lines() const
{
    std::vector<Line> out;
    if (!m_change || m_change->before_ns == 0 || m_change->after_ns == 0) return out; // the change is unknown
    out.push_back({"A  " + m_a, m_change->before_ns, m_change->before_ns, true, {}});
    int64_t at = m_change->before_ns;
    for (const LengthChange::Part& part : m_change->parts) {
        const QString label = QString::fromStdString(part.label);
        const QString kind = QString::fromStdString(part.kind);
        out.push_back({label, at, at + part.change_ns, false, kind.isEmpty() ? label : label + "\n" + kind});
        at += part.change_ns;
    }
    out.push_back({"B  " + m_b, m_change->after_ns, m_change->after_ns, true, {}});
    return out;
}

void LengthView::paintLine(QPainter& painter, const Line& row, const QRect& at, int labels, int value,
                           const std::function<int(int64_t)>& x) const
{
    QFont words = font();
    if (row.isEnd) words.setWeight(QFont::DemiBold);
    painter.setFont(words);
    painter.setPen(m_theme->text);
    painter.drawText(QRect(at.left(), at.top(), labels, at.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(row.label, Qt::ElideMiddle, labels));
    const int64_t by = row.to_ns - row.from_ns;
    const QColor color = row.isEnd ? m_theme->text : by > 0 ? m_theme->bad : m_theme->good;
    const int begin = std::min(x(row.from_ns), x(row.to_ns));
    const int length = row.isEnd ? 2 : std::max(1, std::abs(x(row.to_ns) - x(row.from_ns)));
    const int bar = std::min(at.height() - 4, scaledPixels(12));
    painter.fillRect(begin, at.top() + (at.height() - bar) / 2, length, bar, color);
    painter.setPen(color);
    painter.drawText(at.adjusted(at.width() - value, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                     row.isEnd ? lengthText(row.to_ns) : signedText(by));
}

void LengthView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    painter.fillRect(0, 0, 1, height(), m_theme->line);
    const int side = scaledPixels(12), line = fontMetrics().lineSpacing();
    const QRect head(side, scaledPixels(8), width() - 2 * side, line);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(m_theme->text);
    const size_t steps = m_change ? m_change->steps : 1;
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     steps > 1 ? tr("Length of %n step(s), B \u2212 A", nullptr, static_cast<int>(steps))
                               : tr("Step length, B \u2212 A"));
    const std::vector<Line> rows = lines();
    painter.setFont(font());
    painter.setPen(m_theme->mutedText);
    if (rows.empty())
        return painter.drawText(QRect(side, head.bottom() + scaledPixels(6), width() - 2 * side, height()),
                                Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_hint);
    painter.drawText(
        head.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(tr("by time on the critical path"), Qt::ElideRight, head.width()));
    const int64_t all = m_change->after_ns - m_change->before_ns;
    painter.setFont(bold);
    painter.setPen(all == 0 ? m_theme->mutedText : all > 0 ? m_theme->bad : m_theme->good);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, signedText(all));
    int64_t least = m_change->before_ns, most = least;
    for (const Line& row : rows) {
        least = std::min({least, row.from_ns, row.to_ns});
        most = std::max({most, row.from_ns, row.to_ns});
    }
    const int value = painter.fontMetrics().horizontalAdvance("\u2212888.888 \u00B5s") + scaledPixels(4);
    const int labels = std::max(scaledPixels(70), (width() - 2 * side - value) * 42 / 100);
    const int left = side + labels + scaledPixels(8), right = width() - side - value - scaledPixels(6);
    const auto x = [&](int64_t ns) {
        const double part =
            most == least ? 0.5 : static_cast<double>(ns - least) / static_cast<double>(most - least);
        return left + static_cast<int>(part * std::max(1, right - left - 2));
    };
    const int pitch = rowHeight();
    int y = firstRow();
    for (const Line& row : rows) {
        paintLine(painter, row, QRect(side, y, width() - 2 * side, pitch), labels, value, x);
        if (!row.isEnd && &row != &rows.back()) // connector to the next row
            painter.fillRect(x(row.to_ns), y + pitch / 2, 1, pitch, m_theme->line);
        y += pitch;
    }
}

bool LengthView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const std::vector<Line> rows = lines();
    const int row = (help->pos().y() - firstRow()) / std::max(1, rowHeight());
    const bool isRow = help->pos().y() >= firstRow() && row < static_cast<int>(rows.size());
    QToolTip::showText(help->globalPos(), isRow ? rows[static_cast<size_t>(row)].tip : QString(), this);
    return true;
}

} // namespace lockstep
