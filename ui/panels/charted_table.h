// SPDX-License-Identifier: Apache-2.0
// ChartedTable shows a core Table: the view with its filter row and column chooser, a chart next to the view,
// and a hint in place of both if there are no rows. A click on the chart selects the matching row and goes to
// its instances, as if the row had been activated. Columns without a value in any row are hidden until the
// user shows them. Used by every panel that shows a table. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QPointer>
#include <QWidget>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/scene/scene.h"
#include "ui/panels/source_popover.h"
#include "ui/style/theme.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class ChartPane;
class SummaryRow;
class TableModel;
class TableView;

class ChartedTable : public QWidget {
    Q_OBJECT

  public:
    // chart: a chart provided by the owner, or nullptr to use the automatic chart. The owner's chart is shown
    // next to every table that has rows, with a splitter handle in between. The owner sets the table and
    // theme of this chart.
    explicit ChartedTable(QWidget* parent = nullptr, QWidget* chart = nullptr);
    ~ChartedTable() override { delete m_popover; }

    // Shows a table; nullptr for none. Returns true if the columns changed. In this case, widths and sorting
    // were reset.
    bool setTable(std::shared_ptr<const Table> table);
    // Sets the scene and scope from which the table is computed, so that cells can show their source. Call
    // before setTable().
    void setOrigin(ScenePtr scene, const Scope& scope);
    const Table* table() const;
    // Shows a hint instead of the table; an empty hint shows the table. A hint is dimmed unless isError is
    // true.
    void setHint(const QString& hint, bool isError = false);
    QString hint() const;
    void setTheme(const Theme& theme);

    // Selects the row and emits rowActivated(), like a click on the chart.
    void activateRow(int tableRow);
    // Adds the switches for the chart, the filter row and empty columns and the find field to the end of the
    // owner's bar.
    void addControls(QHBoxLayout& bar);

    TableView* view() const { return m_view; }
    // Returns the automatic chart, or nullptr if the owner provided a chart.
    ChartPane* charts() const { return m_charts; }
    // Returns the row of means below the table. The row is hidden if the table has fewer than two rows or no
    // numeric column.
    SummaryRow* summary() const { return m_summary; }
    QPushButton* filterSwitch() const { return m_filters; }
    QLineEdit* findField() const { return m_find; }

  signals:
    // Emitted when a row is activated by a double click, by Return or by a click on its bar.
    void rowActivated(int tableRow);
    // Emitted when arrow keys change the current row. The receiver shows the longest instance of the row, but
    // leaves the keyboard focus in the table.
    void rowNavigated(int tableRow);
    // Requests that the SQL panel show this query about a cell.
    void sqlRequested(const QString& query);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    bool layOutColumns();
    void hideEmptyColumns();
    void shareWidth();
    QWidget* makeRows();
    void splitWith(QWidget* chart);
    void placeChart();
    void showSourcePopover(int tableRow, int column, const QRect& cell);

    QLabel* m_hint;
    TableModel* m_model;
    TableView* m_view;
    SummaryRow* m_summary;
    ChartPane* m_charts = nullptr;
    QWidget* m_rows; // the view and the means below it
    QWidget* m_body; // the rows, or a splitter with the owner's chart; hidden while a hint is shown
    QWidget* m_chart;
    QPushButton* m_switch;
    QPushButton* m_filters;
    QPushButton* m_empty;
    bool m_hasControls = false;
    QLineEdit* m_find;
    QPointer<SourcePopover> m_popover; // child of the pane's window
    ScenePtr m_scene;
    Scope m_scope;
    QString m_layout;                 // identifies the columns whose widths are set
    std::vector<int> m_hiddenColumns; // hidden because they are empty
};

} // namespace lockstep
