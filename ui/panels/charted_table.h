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

class QLabel;
class QPushButton;

namespace lockstep {

class ChartPane;
class TableModel;
class TableView;

class ChartedTable : public QWidget {
    Q_OBJECT

  public:
    explicit ChartedTable(QWidget* parent = nullptr);

    // nullptr for none. Widths and order of columns are set anew where the columns are others.
    void setTable(std::shared_ptr<const Table> table);
    // What the table was made of: its cells then say where they come from. Before setTable().
    void setOrigin(ScenePtr scene, const Scope& scope);
    const Table* table() const;
    // Stands in place of the table; empty: the table is shown.
    void setHint(const QString& hint);
    QString hint() const;
    void setTheme(const Theme& theme);

    TableView* view() const { return m_view; }
    ChartPane* charts() const { return m_charts; }
    // Hides and shows the chart; can be seen where the table has one and there is room for both. The pane's
    // owner puts it into its bar.
    QPushButton* chartSwitch() const { return m_switch; }
    QPushButton* filterSwitch() const { return m_filters; }
    // Made when a cell is first asked; nullptr before.
    SourcePopover* popover() const { return m_popover; }

  signals:
    // A row was double-clicked, Return was pressed on it, or its bar was clicked.
    void rowActivated(int tableRow);
    // A cell is to be asked for in SQL.
    void sqlRequested(const QString& query);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void layOutColumns();
    void placeChart();
    void tellSource(int tableRow, int column, const QRect& cell);

    QLabel* m_hint;
    TableModel* m_model;
    TableView* m_view;
    ChartPane* m_charts;
    QPushButton* m_switch;
    QPushButton* m_filters;
    QPointer<SourcePopover> m_popover; // of the window that the pane is in
    ScenePtr m_scene;
    Scope m_scope;
    QString m_layout; // columns whose widths are set
};

} // namespace lockstep
