// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_row_painter.h"

#include <algorithm>

#include "ui/panels/table_cell_delegate.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Matches are searched only in this part of a name, counted from its beginning.
constexpr size_t kMaxSearched_bytes = 500;

} // namespace

void EventRowPainter::paint(QPainter& painter, const QStyleOptionViewItem& option, int row,
                            EventColumn column) const
{
    if (m_areSwatchesShown && column == EventColumn::number) return paintSwatch(painter, option.rect, row);
    m_cells.paint(&painter, option, m_model.index(row, static_cast<int>(column)));
    if (column == EventColumn::name && !m_matched.empty()) paintMatches(painter, option, row);
}

void EventRowPainter::paintSwatch(QPainter& painter, const QRect& cell, int row) const
{
    const int size = scaledPixels(9);
    painter.fillRect(
        QRect(cell.left() + (cell.width() - size) / 2, cell.top() + (cell.height() - size) / 2, size, size),
        m_theme->category(m_model.factsAt(row).category));
    painter.fillRect(QRect(cell.left(), cell.bottom(), cell.width(), 1), m_theme->line);
}

// Paints matches over the text, so that they are also visible in a selected row.
void EventRowPainter::paintMatches(QPainter& painter, const QStyleOptionViewItem& option, int row) const
{
    const QFontMetrics metrics(option.font);
    const EventFacts& facts = m_model.factsAt(row);
    std::string whole(facts.name);
    if (facts.kind == RowKind::kernel) // use the name in the form in which it is drawn
        whole = TableCellDelegate::shortenedFunction(QString::fromStdString(whole), metrics,
                                                     option.rect.width() - 2 * scaledPixels(8))
                    .toStdString();
    const std::string_view name =
        std::string_view(whole).substr(0, std::min(whole.size(), kMaxSearched_bytes));
    QColor tint = m_theme->accent;
    tint.setAlphaF(0.20f);
    const QRect inner =
        option.rect.adjusted(scaledPixels(8), scaledPixels(3), -scaledPixels(8), -scaledPixels(3));
    const QString all = QString::fromStdString(whole);
    const Qt::TextElideMode mode = TableCellDelegate::elideMode(option);
    const QString shown = metrics.elidedText(all, mode, inner.width());
    const auto lengthOf = [&](size_t bytes) {
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(bytes)).size();
    };
    for (const TextMatcher& matcher : m_matched) {
        const auto [at, length] = matcher.firstMatchIn(name);
        if (length == 0) continue;
        const auto [from, to] = shownPart(all, shown, lengthOf(at), lengthOf(at + length));
        const int begin = inner.left() + metrics.horizontalAdvance(shown, static_cast<int>(from));
        const int end = inner.left() + metrics.horizontalAdvance(shown, static_cast<int>(to));
        painter.fillRect(QRect(begin, inner.top(), end - begin, inner.height()).intersected(inner), tint);
    }
}

std::pair<qsizetype, qsizetype> shownPart(const QString& whole, const QString& shown, qsizetype from,
                                          qsizetype to)
{
    if (shown == whole) return {from, to};
    const qsizetype maxMatch = std::min(whole.size(), shown.size() - 1);
    qsizetype left = 0, right = 0;
    while (left < maxMatch && shown[left] == whole[left])
        ++left;
    while (left + right < maxMatch && shown[shown.size() - 1 - right] == whole[whole.size() - 1 - right])
        ++right;
    const auto mapped = [&](qsizetype at, qsizetype atEllipsis) {
        if (at <= left) return at;
        return at >= whole.size() - right ? at - whole.size() + shown.size() : atEllipsis;
    };
    return {mapped(from, left), mapped(to, left + 1)};
}

} // namespace lockstep
