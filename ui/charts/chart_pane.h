// SPDX-License-Identifier: Apache-2.0
// ChartPane: the chart beside a table view, of the kind that chartOfTable() says: 436 px at scale 1. Nothing
// is kept for a table without one. A click on the chart is one on the table's row. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QStackedWidget>

#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

namespace lockstep {

class CurveChart;
class HeatChart;
class RowChart;
class TableView;

class ChartPane : public QStackedWidget {
    Q_OBJECT

  public:
    // view outlives the pane.
    explicit ChartPane(TableView& view, QWidget* parent = nullptr);

    // nullptr for none.
    void setTable(std::shared_ptr<const Table> table);
    void setTheme(const Theme& theme);
    // The chart of the table; empty: it has none, and the pane has nothing to show.
    const std::optional<TableChart>& kind() const { return m_kind; }
    RowChart* rows() const { return m_rows; }
    HeatChart* heat() const { return m_heat; }
    CurveChart* curves() const { return m_curves; }

  signals:
    void rowClicked(int tableRow);

  private:
    std::optional<TableChart> m_kind;
    RowChart* m_rows;
    HeatChart* m_heat;
    CurveChart* m_curves;
};

} // namespace lockstep
