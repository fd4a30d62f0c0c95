// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/marks_bar.h"

#include <cmath>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr qsizetype kMaxListedMarks = 12;

QColor markInk(const Theme& theme, const MarkShape& shape)
{
    return shape.isNote ? theme.accent : theme.warn;
}

void paintFlag(QPainter& painter, double x, const QRect& area, double scale, const QColor& ink)
{
    QPainterPath flag;
    const double top = area.top() + 3 * scale;
    flag.moveTo(x, top);
    flag.lineTo(x + 9 * scale, top);
    flag.lineTo(x + 6.5 * scale, top + 3.5 * scale);
    flag.lineTo(x + 9 * scale, top + 7 * scale);
    flag.lineTo(x, top + 7 * scale);
    flag.closeSubpath();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(flag, ink);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

void paintMarks(QPainter& painter, const QRect& area, const TimelineState& state, const MarkLayout& marks)
{
    const Theme& theme = *state.theme;
    const int left = area.left() + state.px(state.headerWidth), line = std::max(1, state.px(1));
    painter.fillRect(area, theme.window);
    painter.fillRect(QRect(area.left(), area.bottom() + 1 - line, area.width(), line), theme.line);
    QFont font = timelineFont(state.scale());
    painter.setFont(font);
    painter.setPen(theme.mutedText);
    painter.drawText(
        QRect(area.left() + state.px(12), area.top(), left - area.left() - state.px(20), area.height()),
        Qt::AlignLeft | Qt::AlignVCenter, QObject::tr("markers"));
    painter.setClipRect(QRect(left, area.top(), area.right() + 1 - left, area.height()));
    const QFontMetrics metrics(font);
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    for (const MarkShape& shape : marks.shapes) {
        const QColor ink = markInk(theme, shape);
        const int x = left + shape.begin, end = left + shape.end;
        const bool isRange = shape.end > shape.begin;
        if (isRange) {
            const QRect box(x, area.top() + state.px(2), std::max(line, end - x),
                            area.height() - state.px(3));
            painter.fillRect(box, mixed(theme.window, ink, 0.18));
            painter.fillRect(QRect(box.left(), box.top(), line, box.height()), ink);
            painter.fillRect(QRect(box.right() + 1 - line, box.top(), line, box.height()), ink);
            if (metrics.horizontalAdvance(QString::fromStdString(shape.number)) + state.px(6) < box.width()) {
                painter.setFont(bold);
                painter.setPen(theme.text);
                painter.drawText(box, Qt::AlignCenter, QString::fromStdString(shape.number));
                painter.setFont(font);
            }
        } else {
            painter.fillRect(QRect(x, area.top() + state.px(3), line, area.height()), ink);
            paintFlag(painter, x, area, state.scale(), ink);
        }
        painter.setPen(shape.isNote ? theme.text : theme.mutedText);
        painter.drawText(QRect(left + shape.textX, area.top(), shape.areaEnd - shape.textX + state.px(8),
                               area.height() - line),
                         Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(shape.text));
    }
    painter.setClipping(false);
    painter.fillRect(QRect(left - 1, area.top(), 1, area.height()), theme.line);
}

void paintMarkLines(QPainter& painter, const QRect& lanes, const TimelineState& state,
                    const MarkLayout& marks)
{
    const int left = lanes.left() + state.px(state.headerWidth);
    for (const MarkShape& shape : marks.shapes) {
        QPen pen(markInk(*state.theme, shape), std::max(1, state.px(1)));
        pen.setDashPattern({1, 3});
        painter.setPen(pen);
        for (const int x : {shape.begin, shape.end}) {
            const bool isSeen = left + x <= lanes.right() && (x > 0 || !shape.isCut);
            if (isSeen) painter.drawLine(left + x, lanes.top(), left + x, lanes.bottom());
            if (shape.end == shape.begin) break;
        }
    }
}

MarksBar::MarksBar(const TimelineState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Markers and notes on the time axis"));
    hide();
}

void MarksBar::setStore(const MarkStore* store)
{
    m_store = store;
    refresh();
}

void MarksBar::refresh()
{
    m_layout.shapes.clear();
    std::vector<MarkOnAxis> placed;
    if (m_store != nullptr) {
        for (const Mark& mark : m_store->marks().all()) {
            const PlacedMark& at = m_store->placed(mark.number);
            if (at.aligned) placed.push_back({&mark, *at.aligned});
        }
    }
    const bool isNeeded = !placed.empty();
    const int width = static_cast<int>(this->width() * devicePixelRatioF()) - m_state.px(m_state.headerWidth);
    if (isNeeded && width > 0)
        m_layout = layOutMarks(std::move(placed), m_state.window.scale(width), m_state.scale(),
                               labelFontOf(timelineFont(m_state.scale())));
    if (isNeeded == isHidden()) setVisible(isNeeded);
    update();
}

QSize MarksBar::sizeHint() const
{
    return {400, static_cast<int>(std::lround(kMarksHeight * m_state.scale() / devicePixelRatioF()))};
}

const MarkShape* MarksBar::shapeAt(double x) const
{
    return m_layout.at(static_cast<int>(x * devicePixelRatioF()) - m_state.px(m_state.headerWidth));
}

QString MarksBar::textAt(double x) const
{
    const MarkShape* const shape = shapeAt(x);
    if (shape == nullptr || m_store == nullptr) return {};
    QStringList lines;
    for (const int64_t number : shape->numbers) {
        if (lines.size() == kMaxListedMarks) {
            const auto more = static_cast<int>(shape->numbers.size()) - static_cast<int>(kMaxListedMarks);
            lines << tr("%n more marker(s); zoom in to see each", nullptr, more);
            break;
        }
        const Mark* const mark = m_store->marks().find(number);
        if (mark == nullptr) continue;
        QString line = QString::fromStdString(markName(*mark));
        if (mark->isNote()) line += ": " + QString::fromStdString(mark->text).left(1000);
        const QString why = m_store->explain(number);
        lines << (why.isEmpty() ? line : line + "\n(" + why + ")");
    }
    return lines.join('\n');
}

void MarksBar::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    paintMarks(painter, QRect(0, 0, static_cast<int>(width() * ratio), static_cast<int>(height() * ratio)),
               m_state, m_layout);
}

void MarksBar::mousePressEvent(QMouseEvent* event)
{
    const MarkShape* const shape =
        event->button() == Qt::LeftButton ? shapeAt(event->position().x()) : nullptr;
    if (shape == nullptr) return event->ignore();
    const std::vector<int64_t> numbers = shape->numbers; // copied, because a slot may change the layout
    emit clicked(numbers);
}

bool MarksBar::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), textAt(help->pos().x()), this);
    return true;
}

void MarksBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

} // namespace lockstep
