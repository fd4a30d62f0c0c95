// SPDX-License-Identifier: Apache-2.0
// AreaDelegate: cells of an aggregate: a swatch of its category before each label, a bar beside each share.
// UI thread.
#pragma once

#include <memory>

#include "core/analysis/area_aggregate.h"
#include "ui/panels/table_cell_delegate.h"

namespace lockstep {

class TableView;

class AreaDelegate : public TableCellDelegate {
    Q_OBJECT

  public:
    // Of that view, which owns it.
    explicit AreaDelegate(TableView* view);

    // Its rows are those of the view's table, in the same order.
    void setAggregate(std::shared_ptr<const AreaAggregate> aggregate) { m_aggregate = std::move(aggregate); }
    void setSwatchTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  protected:
    QRect wordsIn(const QRect& inner, const QModelIndex& index) const override;
    bool isFunction(const QModelIndex& index) const override;

  private:
    const TableView& m_view;
    std::shared_ptr<const AreaAggregate> m_aggregate;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
