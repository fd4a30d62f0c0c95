// SPDX-License-Identifier: Apache-2.0
// AreaDelegate paints the cells of an AreaAggregate: a color swatch of the category before each label and a
// bar next to each share. UI thread.
#pragma once

#include <memory>

#include "core/analysis/area_aggregate.h"
#include "ui/panels/table_cell_delegate.h"

namespace lockstep {

class TableView;

class AreaDelegate : public TableCellDelegate {
    Q_OBJECT

  public:
    // The view owns the delegate.
    explicit AreaDelegate(TableView* view);

    // The aggregate must have the same rows as the view's table, in the same order.
    void setAggregate(std::shared_ptr<const AreaAggregate> aggregate) { m_aggregate = std::move(aggregate); }
    void setSwatchTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  protected:
    QRect textRectIn(const QRect& inner, const QModelIndex& index) const override;
    bool isFunction(const QModelIndex& index) const override;

  private:
    const TableView& m_view;
    std::shared_ptr<const AreaAggregate> m_aggregate;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
