// SPDX-License-Identifier: Apache-2.0
#include "ui/run/hosts_card.h"

#include <algorithm>
#include <array>

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kMaxRows = 12; // maximum number of rows shown without a scroll bar in the card

// HostDelegate draws sparklines, the recording disc, full-width message rows, and a line below each host.
class HostDelegate : public QStyledItemDelegate {
  public:
    HostDelegate(QTreeView* table) : QStyledItemDelegate(table), m_table(table) {}

    void setTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.data(RunHostsModel::isMessageRole).toBool()) {
            paintMessage(*painter, option, index);
        } else {
            paintCell(*painter, option, index);
        }
        painter->setPen(m_theme->line);
        // The line also extends below the branch indicators.
        const int left = index.column() == 0 ? 0 : option.rect.left();
        painter->drawLine(left, option.rect.bottom(), option.rect.right(), option.rect.bottom());
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        size.setHeight(scaledPixels(28));
        if (!index.data(RunHostsModel::isMessageRole).toBool()) return size;
        const QRect room(0, 0, messageWidth(), 10'000);
        const QRect text = option.fontMetrics.boundingRect(room, Qt::TextWordWrap, index.data().toString());
        return {0, text.height() + scaledPixels(10)};
    }

  private:
    int messageWidth() const { return m_table->viewport()->width() - scaledPixels(24); }

    void paintMessage(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
    {
        painter.setPen(index.data(Qt::ForegroundRole).value<QColor>());
        painter.setFont(option.font);
        const QRect room(scaledPixels(8), option.rect.top() + scaledPixels(4), messageWidth(),
                         option.rect.height() - scaledPixels(6));
        painter.drawText(room, Qt::TextWordWrap | Qt::AlignVCenter, index.data().toString());
    }

    void paintCell(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
    {
        QStyleOptionViewItem cell = option;
        const bool isHost = !index.parent().isValid();
        // The content is aligned with its heading.
        if (index.column() > 0) cell.rect.adjust(scaledPixels(5), 0, 0, 0);
        if (index.column() == RunHostsModel::hostColumn && isHost) cell.font.setWeight(QFont::DemiBold);
        const QVariant color = index.data(Qt::ForegroundRole);
        if (color.isValid()) cell.palette.setColor(QPalette::HighlightedText, color.value<QColor>());
        const auto spark = index.data(RunHostsModel::sparkRole).value<QList<double>>();
        if (index.data(RunHostsModel::isRecordingRole).toBool()) {
            const int size = scaledPixels(9);
            const QRectF disc(cell.rect.left() + scaledPixels(3), option.rect.center().y() - size / 2.0 + 1,
                              size, size);
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme->bad);
            painter.drawEllipse(disc);
            painter.restore();
            cell.rect.adjust(size + scaledPixels(4), 0, 0, 0);
        }
        if (!spark.isEmpty()) {
            paintSpark(painter, cell.rect, spark);
            cell.rect.setLeft(cell.rect.left() + scaledPixels(66));
        }
        QStyledItemDelegate::paint(&painter, cell, index);
    }

    void paintSpark(QPainter& painter, const QRect& rect, const QList<double>& values) const
    {
        const int width = scaledPixels(6), gap = scaledPixels(2), tall = scaledPixels(16);
        int x = rect.left() + scaledPixels(3);
        const int bottom = rect.center().y() + tall / 2;
        for (const double value : values) {
            const int height = std::max(1, static_cast<int>(value * tall));
            painter.fillRect(x, bottom - height, width, height, m_theme->accent);
            x += width + gap;
        }
    }

    QTreeView* m_table;
    const Theme* m_theme = &lightTheme();
};

} // namespace

HostsCard::HostsCard(QWidget* parent)
    : Card(tr("Hosts"), parent), m_table(new QTreeView(this)), m_model(new RunHostsModel(this))
{
    m_table->setModel(m_model);
    m_table->setItemDelegate(new HostDelegate(m_table));
    m_table->setAccessibleName(tr("Hosts in this run"));
    m_table->setUniformRowHeights(false);
    m_table->setIndentation(scaledPixels(14));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setProperty("plain", true);
    m_table->header()->setStretchLastSection(true);
    m_table->header()->setSectionsMovable(false);
    m_table->header()->setMinimumSectionSize(scaledPixels(30));
    m_table->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    lines()->addWidget(m_table);
    m_table->viewport()->installEventFilter(this);
    connect(m_model, &QAbstractItemModel::modelReset, this, &HostsCard::restore);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HostsCard::applySelection);
    connect(m_table, &QTreeView::expanded, this, [this](const QModelIndex& row) {
        m_open.insert(static_cast<size_t>(row.data(RunHostsModel::hostIndexRole).toInt()));
        fit();
    });
    connect(m_table, &QTreeView::collapsed, this, [this](const QModelIndex& row) {
        m_open.erase(static_cast<size_t>(row.data(RunHostsModel::hostIndexRole).toInt()));
        fit();
    });
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& row) {
        const QVariant rank = row.data(RunHostsModel::rankRole);
        const auto host = static_cast<size_t>(row.data(RunHostsModel::hostIndexRole).toInt());
        if (rank.isValid() && m_run != nullptr)
            emit rankActivated(m_run->hosts()[host].host, rank.toLongLong());
    });
    fit();
}

void HostsCard::show(const Run* run, const RunFeed* feed)
{
    m_run = run;
    m_chosen.reset();
    m_open.clear();
    m_model->show(run, feed);
}

void HostsCard::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    static_cast<HostDelegate*>(m_table->itemDelegate())->setTheme(theme);
    m_table->viewport()->update();
}

void HostsCard::refresh()
{
    m_model->refresh();
}

void HostsCard::choose(std::optional<size_t> host)
{
    m_chosen = host;
    m_isChoosing = true;
    if (!host) {
        m_table->clearSelection();
    } else if (const QModelIndex row = m_model->hostRow(*host); row.isValid()) {
        m_table->setCurrentIndex(row);
    }
    m_isChoosing = false;
}

void HostsCard::applySelection()
{
    if (m_isChoosing) return;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    m_chosen.reset();
    if (!rows.isEmpty())
        m_chosen = static_cast<size_t>(rows.front().data(RunHostsModel::hostIndexRole).toInt());
    emit hostChosen(m_chosen);
}

// Places the columns whenever the table's own width changes. The width of the card cannot be used instead,
// because it changes before the layout is updated and while the page is hidden.
bool HostsCard::eventFilter(QObject* watched, QEvent* event)
{
    const bool isResized = watched == m_table->viewport() && event->type() == QEvent::Resize;
    if (isResized && static_cast<QResizeEvent*>(event)->oldSize().width() != m_table->viewport()->width()) {
        placeColumns();
        m_table->doItemsLayout(); // rewraps the message rows
        fit();
    }
    return Card::eventFilter(watched, event);
}

// Divides the width among the columns in proportion to their usual content.
void HostsCard::placeColumns()
{
    static constexpr std::array<int, RunHostsModel::columnTotal> kShares{86,  108, 54, 108, 143,
                                                                         136, 56,  90, 84,  93};
    int sum = 0;
    for (const int share : kShares)
        sum += share;
    const int width = m_table->viewport()->width();
    for (size_t i = 0; i + 1 < kShares.size(); ++i)
        m_table->header()->resizeSection(static_cast<int>(i), width * kShares[i] / sum);
}

// Restores the expanded rows and the selection after a model reset.
void HostsCard::restore()
{
    const std::set<size_t> open = m_open;
    for (const size_t host : open)
        m_table->expand(m_model->hostRow(host));
    fit();
    choose(m_chosen);
}

// Makes the table as tall as its rows, up to a limit.
void HostsCard::fit()
{
    int height = m_table->header()->sizeHint().height() + scaledPixels(4);
    int rows = 0;
    for (int row = 0; row < m_model->rowCount() && rows < kMaxRows; ++row, ++rows) {
        const QModelIndex index = m_model->index(row, 0);
        const bool isMessage = index.data(RunHostsModel::isMessageRole).toBool();
        m_table->setFirstColumnSpanned(row, {}, isMessage);
        QStyleOptionViewItem option;
        option.fontMetrics = m_table->fontMetrics();
        option.font = m_table->font();
        height += m_table->itemDelegate()->sizeHint(option, index).height();
        if (m_table->isExpanded(index)) {
            const int parts = std::min(m_model->rowCount(index), kMaxRows - rows);
            rows += parts;
            height += parts * scaledPixels(28);
        }
    }
    for (int row = rows; row < m_model->rowCount(); ++row) {
        const QModelIndex index = m_model->index(row, 0);
        m_table->setFirstColumnSpanned(row, {}, index.data(RunHostsModel::isMessageRole).toBool());
    }
    m_table->setFixedHeight(height);
}

} // namespace lockstep
