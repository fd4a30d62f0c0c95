// SPDX-License-Identifier: Apache-2.0
#include "ui/selection/area_delegate.h"

#include <QPainter>

#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kLabelColumn = 0, kShareColumn = 4; // columns of areaTable()
constexpr int kBarWidth = 44;                     // px at scale 1

} // namespace

AreaDelegate::AreaDelegate(TableView* view) : TableCellDelegate(view), m_view(*view) {}

QRect AreaDelegate::textRectIn(const QRect& inner, const QModelIndex& index) const
{
    if (index.column() == kLabelColumn) return inner.adjusted(scaledPixels(16), 0, 0, 0);
    if (index.column() == kShareColumn) return inner.adjusted(0, 0, -scaledPixels(kBarWidth + 10), 0);
    return inner;
}

bool AreaDelegate::isFunction(const QModelIndex& index) const
{
    const auto row = static_cast<size_t>(std::max(0, m_view.tableRowOf(index.row())));
    if (index.column() != kLabelColumn || m_aggregate == nullptr || row >= m_aggregate->rows.size())
        return false;
    const SliceCategory category = m_aggregate->rows[row].category;
    return category == SliceCategory::compute || category == SliceCategory::communication;
}

void AreaDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    TableCellDelegate::paint(painter, option, index);
    const auto row = static_cast<size_t>(std::max(0, m_view.tableRowOf(index.row())));
    if (m_aggregate == nullptr || row >= m_aggregate->rows.size()) return;
    const AreaGroupRow& of = m_aggregate->rows[row];
    const QColor color = m_theme->category(of.category);
    const int middle = option.rect.center().y();
    if (index.column() == kLabelColumn) {
        const int side = scaledPixels(9);
        painter->fillRect(option.rect.left() + scaledPixels(8), middle - side / 2, side, side, color);
    } else if (index.column() == kShareColumn) {
        const int width = scaledPixels(kBarWidth), height = scaledPixels(8);
        const QRect bar(option.rect.right() - scaledPixels(8) - width, middle - height / 2, width, height);
        painter->fillRect(bar, m_theme->line);
        const auto maxSum_ns = static_cast<double>(std::max<int64_t>(1, m_aggregate->rows.front().sum_ns));
        const int part = static_cast<int>(width * static_cast<double>(of.sum_ns) / maxSum_ns);
        painter->fillRect(bar.left(), bar.top(), part, height, color);
    }
}

QSize AreaDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QSize size = TableCellDelegate::sizeHint(option, index);
    if (index.column() == kShareColumn) return size + QSize(scaledPixels(kBarWidth + 12), 0);
    return index.column() == kLabelColumn ? size + QSize(scaledPixels(16), 0) : size;
}

} // namespace lockstep
