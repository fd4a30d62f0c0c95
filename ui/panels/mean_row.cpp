// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/mean_row.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>

#include "core/base/text.h"
#include "ui/models/table_model.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

MeanRow::MeanRow(TableView& view, const TableModel& model, QWidget* parent)
    : QWidget(parent), m_view(view), m_model(model)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_soon.setSingleShot(true);
    m_soon.setInterval(0); // coalesces the row changes of one filter change
    connect(&m_soon, &QTimer::timeout, this, &MeanRow::recompute);
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

void MeanRow::setTheme(const Theme& theme)
{
    m_theme = &theme;
    QFont bold = smallFont(scaledPixels(100) / 100.0);
    bold.setWeight(QFont::DemiBold);
    setFont(bold);
    updateGeometry();
    update();
}

QSize MeanRow::sizeHint() const
{
    return {0, QFontMetrics(font()).height() + scaledPixels(10)};
}

QString MeanRow::text(int column) const
{
    return column >= 0 && static_cast<size_t>(column) < m_texts.size() ? m_texts[static_cast<size_t>(column)]
                                                                       : QString();
}

void MeanRow::recompute()
{
    m_soon.stop();
    const int count = m_view.shownRows();
    m_texts.assign(static_cast<size_t>(m_model.columnCount()), {});
    std::vector<int> rows;
    if (count <= kMaxRows) {
        for (int row = 0; row < count; ++row)
            rows.push_back(m_view.tableRowOf(row));
    }
    bool hasAny = false;
    for (size_t column = 0; column < m_texts.size(); ++column) {
        m_texts[column] = m_model.meanText(column, rows);
        hasAny = hasAny || !m_texts[column].isEmpty();
    }
    const QString of = QString::fromStdString(groupedText(count));
    const QString words =
        count > kMaxRows ? tr("mean: only up to %1 rows").arg(QString::fromStdString(groupedText(kMaxRows)))
                         : tr("mean of %1 rows").arg(of);
    m_label = -1;
    for (size_t column = 0; column < m_texts.size() && m_label < 0; ++column) {
        if (m_texts[column].isEmpty()) m_label = static_cast<int>(column);
    }
    if (m_label >= 0) m_texts[static_cast<size_t>(m_label)] = words;
    setToolTip(tr("%1 (unweighted, over the rows that pass the filters; rows without a number are "
                  "ignored)")
                   .arg(words));
    setAccessibleName(words);
    m_hasMeans = count > 1 && (hasAny || count > kMaxRows);
    showOrHide();
    update();
}

void MeanRow::setHasRoom(bool hasRoom)
{
    m_hasRoom = hasRoom;
    showOrHide();
}

void MeanRow::showOrHide()
{
    setVisible(m_hasRoom && m_hasMeans);
}

void MeanRow::paintEvent(QPaintEvent*)
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
        const QString shown = column == m_label && !fits ? tr("mean") : text(column);
        painter.drawText(inner, int((column == m_label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter),
                         painter.fontMetrics().elidedText(shown, Qt::ElideRight, inner.width()));
    }
}

} // namespace lockstep
