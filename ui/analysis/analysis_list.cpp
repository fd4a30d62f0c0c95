// SPDX-License-Identifier: Apache-2.0
#include "ui/analysis/analysis_list.h"

#include <algorithm>

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kAnalysisRole = Qt::UserRole; // index in analyses(); no value for groups

QString utf16(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// AnalysisDelegate paints the identifier small and dimmed after the title. The title has priority; the
// identifier is elided, or omitted if almost none of it fits.
class AnalysisDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const QString name = index.data(AnalysisList::kNameRole).toString();
        if (name.isEmpty()) return;
        const QFont small = smallFont(scaledPixels(100) / 100.0 * 0.9);
        const int title = option.fontMetrics.horizontalAdvance(index.data().toString());
        const QRect rest = option.rect.adjusted(title + scaledPixels(16), 0, -scaledPixels(6), 0);
        if (rest.width() < scaledPixels(40)) return;
        painter->save();
        painter->setFont(small);
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                          QFontMetrics(small).elidedText(name, Qt::ElideRight, rest.width()));
        painter->restore();
    }
};

} // namespace

AnalysisList::AnalysisList(QWidget* parent)
    : QWidget(parent), m_current(&analyses()[0]), m_search(new QLineEdit(this)), m_tree(new QTreeWidget(this))
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(8), scaledPixels(8), 0, 0);
    column->setSpacing(scaledPixels(6));
    m_search->setPlaceholderText(tr("Find an analysis"));
    m_search->setAccessibleName(tr("Find an analysis"));
    m_search->setClearButtonEnabled(true);
    auto* const inset = new QHBoxLayout;
    inset->setContentsMargins(0, 0, scaledPixels(8), 0);
    inset->addWidget(m_search);
    column->addLayout(inset);
    m_tree->setAccessibleName(tr("Analyses by subject"));
    m_tree->setHeaderHidden(true);
    m_tree->setProperty("onPanel", true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setItemDelegate(new AnalysisDelegate(m_tree));
    m_tree->setColumnCount(1);
    m_tree->setIndentation(scaledPixels(14));
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->viewport()->setAutoFillBackground(false);
    for (const AnalysisGroup& group : analysisGroups()) {
        // These tables are not listed, because the Import notes panel shows them.
        if (group.title == kWorkspaceTables) continue;
        auto* const groupItem =
            new QTreeWidgetItem(m_tree, {tr("%1  %2").arg(utf16(group.title)).arg(group.analyses.size())});
        groupItem->setFlags(Qt::ItemIsEnabled);
        QFont bold = groupItem->font(0);
        bold.setWeight(QFont::DemiBold);
        groupItem->setFont(0, bold);
        for (const Analysis& analysis : group.analyses) {
            auto* const item = new QTreeWidgetItem(groupItem, {utf16(analysis.title)});
            item->setData(0, kAnalysisRole, static_cast<int>(&analysis - analyses().data()));
            item->setData(0, kNameRole, utf16(analysis.name));
            item->setData(0, Qt::AccessibleTextRole,
                          tr("%1, %2").arg(utf16(analysis.title), utf16(analysis.name)));
            item->setToolTip(0, utf16(analysis.title) + '\n' + utf16(analysis.name));
        }
        groupItem->setExpanded(true);
    }
    column->addWidget(m_tree, 1);
    connect(m_search, &QLineEdit::textChanged, this, &AnalysisList::filter);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        const QTreeWidgetItem* const now = m_tree->currentItem();
        if (now == nullptr || now->isHidden()) step(true);
        m_tree->setFocus();
    });
    connect(m_tree, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item == nullptr || !item->data(0, kAnalysisRole).isValid()) return;
        m_current = &analyses()[static_cast<size_t>(item->data(0, kAnalysisRole).toInt())];
        emit chosen(*m_current);
    });
}

void AnalysisList::select(const Analysis& analysis)
{
    for (QTreeWidgetItemIterator item(m_tree); *item != nullptr; ++item) {
        const QVariant index = (*item)->data(0, kAnalysisRole);
        if (index.isValid() && &analyses()[static_cast<size_t>(index.toInt())] == &analysis)
            m_tree->setCurrentItem(*item);
    }
}

// Chooses the next visible analysis. If the current one is hidden, chooses the first one.
void AnalysisList::step(bool isForward)
{
    QList<QTreeWidgetItem*> shown;
    for (QTreeWidgetItemIterator item(m_tree); *item != nullptr; ++item) {
        if ((*item)->data(0, kAnalysisRole).isValid() && !(*item)->isHidden()) shown << *item;
    }
    if (shown.isEmpty()) return;
    const qsizetype now = shown.indexOf(m_tree->currentItem());
    const qsizetype next = now < 0 ? 0 : now + (isForward ? 1 : -1);
    m_tree->setCurrentItem(shown[std::clamp<qsizetype>(next, 0, shown.size() - 1)]);
}

bool AnalysisList::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_search || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Down && key != Qt::Key_Up) return false;
    step(key == Qt::Key_Down);
    return true;
}

// Shows the analyses whose title or identifier contains the text.
void AnalysisList::filter(const QString& text)
{
    for (int group = 0; group < m_tree->topLevelItemCount(); ++group) {
        QTreeWidgetItem* const groupItem = m_tree->topLevelItem(group);
        bool isAnyShown = false;
        for (int i = 0; i < groupItem->childCount(); ++i) {
            QTreeWidgetItem* const item = groupItem->child(i);
            const bool isShown = item->toolTip(0).contains(text, Qt::CaseInsensitive);
            item->setHidden(!isShown);
            isAnyShown |= isShown;
        }
        groupItem->setHidden(!isAnyShown);
    }
}

} // namespace lockstep
