// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/summary_row.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>

#include "core/base/text.h"
#include "ui/models/table_model.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

SummaryRow::SummaryRow(TableView& view, const TableModel& model, QWidget* parent)
    : QWidget(parent), m_view(view), m_model(model)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_soon.setSingleShot(true);
    m_soon.setInterval(0); // coalesces the row changes of one filter change
    connect(&m_soon, &QTimer::timeout, this, &SummaryRow::recompute);
    const auto outdate = [this] { m_soon.start(); };
    const QAbstractItemModel* const rows = view.model();
    connect(rows, &QAbstractItemModel::modelReset, this, outdate);
    connect(rows, &QAbstractItemModel::rowsInserted, this, outdate);
    connect(rows, &QAbstractItemModel::rowsRemoved, this, outdate);
    connect(rows, &QAbstractItemModel::dataChanged, this, outdate);
    const auto redraw = [this] { update(); };
    const QHeaderView* const header = view.horizontalHeader();
    connect(header, &QHeaderView::sectionResized, this, redraw);
    connect(header, &QHeaderView::sectionMoved, this, redraw);
    connect(header, &QHeaderView::geometriesChanged, this, redraw);
    connect(view.horizontalScrollBar(), &QScrollBar::valueChanged, this, redraw);
    recompute();
}

void SummaryRow::setTheme(const Theme& theme)
{
    m_theme = &theme;
    QFont bold = smallFont(scaledPixels(100) / 100.0);
    bold.setWeight(QFont::DemiBold);
    setFont(bold);
    updateGeometry();
    update();
}

QSize SummaryRow::sizeHint() const
{
    return {0, QFontMetrics(font()).height() + scaledPixels(10)};
}

QString SummaryRow::text(int column) const
{
    return column >= 0 && static_cast<size_t>(column) < m_texts.size() ? m_texts[static_cast<size_t>(column)]
                                                                       : QString();
}

void SummaryRow::recompute()
{
    m_soon.stop();
    const int count = m_view.shownRows();
    m_texts.assign(static_cast<size_t>(m_model.columnCount()), {});
    std::vector<int> rows;
    if (count <= kMaxRows) {
        for (int row = 0; row < count; ++row)
            rows.push_back(m_view.tableRowOf(row));
    }
    bool hasSum = false, hasMean = false;
    for (size_t column = 0; column < m_texts.size(); ++column) {
        m_texts[column] = m_model.summaryText(column, rows);
        if (!m_texts[column].isEmpty()) (m_model.table()->column(column).isSum ? hasSum : hasMean) = true;
    }
    const QString words = caption(count, hasSum, hasMean);
    m_shortLabel = !hasSum ? tr("mean") : hasMean ? tr("\u03A3, mean") : tr("total");
    m_label = -1;
    for (size_t column = 0; column < m_texts.size() && m_label < 0; ++column) {
        if (m_texts[column].isEmpty()) m_label = static_cast<int>(column);
    }
    if (m_label >= 0) m_texts[static_cast<size_t>(m_label)] = words;
    setToolTip(tr("%1 (over the rows that pass the filters; means are unweighted and ignore rows without a "
                  "number)")
                   .arg(words));
    setAccessibleName(words);
    m_hasNumbers = count > 1 && (hasSum || hasMean || count > kMaxRows);
    showOrHide();
    update();
}

QString SummaryRow::caption(int rows, bool hasSum, bool hasMean) const
{
    if (rows > kMaxRows)
        return tr("no totals above %1 rows").arg(QString::fromStdString(groupedText(kMaxRows)));
    const QString of = QString::fromStdString(groupedText(rows));
    if (!hasSum) return tr("mean of %1 rows").arg(of);
    return hasMean ? tr("total (\u03A3) or mean of %1 rows").arg(of) : tr("total of %1 rows").arg(of);
}

void SummaryRow::setHasRoom(bool hasRoom)
{
    m_hasRoom = hasRoom;
    showOrHide();
}

void SummaryRow::showOrHide()
{
    setVisible(m_hasRoom && m_hasNumbers);
}

void SummaryRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->panel);
    painter.setPen(m_theme->line);
    painter.drawLine(rect().topLeft(), rect().topRight());
    const QHeaderView* const header = m_view.horizontalHeader();
    const int left = m_view.viewport()->x();
    painter.setClipRect(QRect(left, 0, m_view.viewport()->width(), height()));
    painter.setPen(m_theme->text);
    for (int column = 0; column < header->count(); ++column) {
        if (header->isSectionHidden(column) || text(column).isEmpty()) continue;
        const QRect cell(left + header->sectionViewportPosition(column), 0, header->sectionSize(column),
                         height());
        const QRect inner = cell.adjusted(scaledPixels(8), 0, -scaledPixels(8), 0);
        const bool fits = painter.fontMetrics().horizontalAdvance(text(column)) <= inner.width();
        const QString shown = column == m_label && !fits ? m_shortLabel : text(column);
        painter.drawText(inner, int((column == m_label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter),
                         painter.fontMetrics().elidedText(shown, Qt::ElideRight, inner.width()));
    }
}

} // namespace lockstep
