// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/reports_panel.h"

#include <algorithm>

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/models/report_list.h"
#include "ui/models/report_tree_model.h"
#include "ui/panels/load_list.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// EntryDelegate draws column 1 dimmed, hit counts in the accent color, and the role's stripe before the name.
// The names of reports whose lanes are all hidden are dimmed as well.
class EntryDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem shown = option;
        if (index.column() == 1) {
            const bool areHits = index.data(ReportTreeModel::isHitCountRole).toBool();
            const QColor color = areHits ? m_theme->accent : m_theme->mutedText;
            shown.palette.setColor(QPalette::Text, color);
            shown.palette.setColor(QPalette::HighlightedText, color);
        } else if (index.data(ReportTreeModel::areLanesHiddenRole).toBool()) {
            shown.palette.setColor(QPalette::Text, m_theme->mutedText);
        }
        QStyledItemDelegate::paint(painter, shown, index);
        const QString role = index.data(ReportTreeModel::roleNameRole).toString();
        if (index.column() == 0 && !role.isEmpty()) {
            const QRect stripe(option.rect.left() - 3, option.rect.top() + 3, 3, option.rect.height() - 6);
            painter->fillRect(stripe, m_theme->roleColor(role.toStdString()));
        }
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        size.setHeight(std::max(size.height(), scaledPixels(22)));
        return size;
    }

  private:
    const Theme* m_theme = &lightTheme();
};

} // namespace

ReportsPanel::ReportsPanel(const ReportList& list, QWidget* parent)
    : Panel("Reports", {.area = Qt::LeftDockWidgetArea, .help = "open_reports"}, parent), m_list(list),
      m_hint(new QLabel(this)), m_tree(new QTreeView(this)), m_footer(new QLabel(this)),
      m_model(new ReportTreeModel(this)), m_loads(new LoadList)
{
    setProperty("panel", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaledPixels(10), 0, 0);
    column->setSpacing(scaledPixels(6));
    auto* const caption = new QLabel(tr("REPORTS"), this);
    caption->setProperty("caption", true);
    caption->setIndent(scaledPixels(12));
    m_hint->setProperty("muted", true);
    m_hint->setWordWrap(true);
    auto* const hint = new QHBoxLayout;
    hint->setContentsMargins(scaledPixels(12), 0, scaledPixels(12), 0);
    hint->addWidget(m_hint);
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(new EntryDelegate(m_tree));
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->header()->setResizeContentsPrecision(0); // only visible rows determine the column width
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setProperty("onPanel", true);
    m_tree->setIndentation(scaledPixels(18)); // room for the expander and a stripe next to it
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setAccessibleName(tr("Open reports"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_tree->header()->setMinimumSectionSize(scaledPixels(24));
    auto* const scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_loads);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->viewport()->setAutoFillBackground(false);
    m_loads->setAutoFillBackground(false);
    column->addWidget(caption);
    column->addLayout(hint);
    column->addWidget(m_tree, 3);
    column->addWidget(scroll, 2);
    column->addWidget(m_footer);

    m_footer->setProperty("muted", true);
    m_footer->setContentsMargins(scaledPixels(12), 0, scaledPixels(12), scaledPixels(6));
    m_footer->hide();
    connectTree();
    connect(&list, &ReportList::changed, this, [this] {
        if (m_list.entries().empty()) setFooter({});
        outdate();
    });
    connect(&list, &ReportList::progressed, this, &ReportsPanel::showProgress);
}

void ReportsPanel::connectTree()
{
    auto* const close = new QAction(tr("Close report"), m_tree);
    close->setShortcut(QKeySequence::Delete);
    close->setShortcutContext(Qt::WidgetShortcut);
    m_tree->addAction(close);
    connect(close, &QAction::triggered, this, &ReportsPanel::closeSelected);
    connect(m_tree, &QWidget::customContextMenuRequested, this, &ReportsPanel::showMenu);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const qlonglong key = index.data(ReportTreeModel::keyRole).toLongLong();
        if (key >= 0) emit reportActivated(ReportKey(static_cast<size_t>(key)));
    });
    connect(m_model, &ReportTreeModel::showRequested, this, &ReportsPanel::showRequested);
    connect(m_model, &QAbstractItemModel::modelReset, m_tree, &QTreeView::expandAll);
    connect(m_loads, &LoadList::cancelRequested, this, &ReportsPanel::cancelRequested);
    connect(m_loads, &LoadList::retryRequested, this, &ReportsPanel::retryRequested);
    connect(m_loads, &LoadList::dismissRequested, this, &ReportsPanel::dismissRequested);
}

void ReportsPanel::rebuild()
{
    const std::vector<ReportEntry>& entries = m_list.entries();
    m_model->setEntries(entries);
    m_loads->setEntries(entries);
    // Chunks of running captures are not listed, because their files are on the hosts.
    m_hint->setText(
        scene()->open.isEmpty()
            ? tr("No reports open. Choose File \u203A Open files, or drop files and folders anywhere.")
            : tr("Watching a run. Its reports are listed here once they are collected and opened."));
    m_hint->setVisible(entries.empty());
    m_tree->setVisible(m_model->rowCount() > 0 || entries.empty());
    m_loads->parentWidget()->parentWidget()->setVisible(!m_loads->isHidden());
}

void ReportsPanel::showProgress()
{
    if (isEffectivelyVisible()) m_loads->setEntries(m_list.entries());
}

void ReportsPanel::setHits(std::shared_ptr<const EventHits> hits)
{
    m_model->setHits(std::move(hits));
}

void ReportsPanel::setHiddenLanes(std::vector<ReportKey> reports)
{
    m_model->setHiddenLanes(std::move(reports));
}

void ReportsPanel::setFooter(const QString& text)
{
    m_footer->setText(text);
    m_footer->setVisible(!text.isEmpty());
}

QString ReportsPanel::foot() const
{
    return m_footer->text();
}

void ReportsPanel::setTheme(const Theme& theme)
{
    static_cast<EntryDelegate*>(m_tree->itemDelegate())->setTheme(theme);
    m_tree->viewport()->update();
}

void ReportsPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // In a narrow panel the name matters more than kind and duration.
    m_tree->setColumnHidden(1, width() < scaledPixels(170));
}

std::vector<ReportKey> ReportsPanel::selectedKeys() const
{
    std::vector<ReportKey> keys;
    for (const QModelIndex& index : m_tree->selectionModel()->selectedRows()) {
        const std::vector<ReportKey> below = m_model->keysUnder(index);
        keys.insert(keys.end(), below.begin(), below.end());
    }
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    return keys;
}

void ReportsPanel::closeSelected()
{
    const std::vector<ReportKey> keys = selectedKeys();
    if (!keys.empty()) emit closeRequested(keys);
}

void ReportsPanel::showMenu(QPoint position)
{
    const QModelIndex index = m_tree->indexAt(position).siblingAtColumn(0);
    if (!index.isValid()) return;
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!m_tree->selectionModel()->isSelected(index))
        m_tree->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect |
                                                             QItemSelectionModel::Rows);
    const std::vector<ReportKey> selected = selectedKeys(), all = m_model->keysUnder({});
    menu->addAction(tr("Show only selected"), this, [this, selected, all] {
        emit showRequested(all, false);
        emit showRequested(selected, true);
    });
    menu->addAction(tr("Show all"), this, [this, all] { emit showRequested(all, true); });
    const QModelIndexList rows = m_tree->selectionModel()->selectedRows();
    if (rows.size() == 2)
        menu->addAction(tr("Compare these two\u2026"), this,
                        [this, a = m_model->keysUnder(rows[0]), b = m_model->keysUnder(rows[1])] {
                            emit compareRequested(a, b);
                        });
    else
        menu->addAction(tr("Compare with\u2026"), this,
                        [this, selected] { emit compareRequested(selected, {}); });
    menu->addSeparator();
    menu->addAction(selected.size() == 1 ? tr("Close report") : tr("Close reports"), QKeySequence::Delete,
                    this, &ReportsPanel::closeSelected);
    menu->popup(m_tree->viewport()->mapToGlobal(position));
}

} // namespace lockstep
