// SPDX-License-Identifier: Apache-2.0
// ChartedTable: a core Table on screen: the view with its filter row and column chooser, the chart that the
// table gets beside it, and what stands in their place where there are no rows. A click on the chart goes to
// the row, and as a row does to its instances. Used by every panel that shows a table. UI thread.
#pragma once

#include <memory>

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
class MeanRow;
class TableModel;
class TableView;

class ChartedTable : public QWidget {
    Q_OBJECT

  public:
    // chart: the owner's, which stands beside every table with rows in place of the one that it would get;
    // between them is a handle. The owner sets its table and theme. nullptr: none.
    explicit ChartedTable(QWidget* parent = nullptr, QWidget* chart = nullptr);

    // nullptr for none. True: the columns are others than before, their widths and sorting were set anew.
    bool setTable(std::shared_ptr<const Table> table);
    // What the table was made of: its cells then say where they come from. Before setTable().
    void setOrigin(ScenePtr scene, const Scope& scope);
    const Table* table() const;
    // Stands in place of the table; empty: the table is shown. An error is not muted.
    void setHint(const QString& hint, bool isError = false);
    QString hint() const;
    void setTheme(const Theme& theme);

    // As a click on the chart: selects the row and asks for its instances.
    void activateRow(int tableRow);
    // Puts the switches of chart and filter row and the field that finds at the end of the owner's bar.
    void addControls(QHBoxLayout& bar);

    TableView* view() const { return m_view; }
    // nullptr where the owner has a chart of its own.
    ChartPane* charts() const { return m_charts; }
    // Hides and shows the chart; can be seen where the table has one and there is room for both.
    QPushButton* chartSwitch() const { return m_switch; }
    // Below the rows; hidden where a table has no second row or nothing to take a mean of.
    MeanRow* mean() const { return m_mean; }
    QPushButton* filterSwitch() const { return m_filters; }
    QLineEdit* findField() const { return m_find; }
    // Made when a cell is first asked; nullptr before.
    SourcePopover* popover() const { return m_popover; }

  signals:
    // A row was double-clicked, Return was pressed on it, or its bar was clicked.
    void rowActivated(int tableRow);
    // A row was gone to by arrow keys: its longest instance should be seen, without leaving the table.
    void rowWalked(int tableRow);
    // A cell is to be asked for in SQL.
    void sqlRequested(const QString& query);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    bool layOutColumns();
    void shareWidth();
    QWidget* makeRows();
    void splitWith(QWidget* chart);
    void placeChart();
    void tellSource(int tableRow, int column, const QRect& cell);

    QLabel* m_hint;
    TableModel* m_model;
    TableView* m_view;
    MeanRow* m_mean;
    ChartPane* m_charts = nullptr;
    QWidget* m_rows; // the view and the means below it
    QWidget* m_body; // stands where the hint does else: the rows, or the owner's chart with them
    QWidget* m_chart;
    QPushButton* m_switch;
    QPushButton* m_filters;
    QLineEdit* m_find;
    QPointer<SourcePopover> m_popover; // of the window that the pane is in
    ScenePtr m_scene;
    Scope m_scope;
    QString m_layout; // columns whose widths are set
};

} // namespace lockstep
