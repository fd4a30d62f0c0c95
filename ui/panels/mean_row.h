// SPDX-License-Identifier: Apache-2.0
// MeanRow is a line below a table, which does not scroll with the rows. It shows the mean of every numeric
// column, computed over the rows that pass the filters. Its cells are aligned with the columns of the table.
// UI thread.
#pragma once

#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/style/theme.h"

namespace lockstep {

class TableModel;
class TableView;

class MeanRow : public QWidget {
    Q_OBJECT

  public:
    // Maximum number of rows for which means are computed, because more rows would block the event loop. If
    // the table has more rows, the line states this maximum.
    static constexpr int kMaxRows = 200'000;

    // model: the model shown by the view. Both must outlive the line.
    MeanRow(TableView& view, const TableModel& model, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    // If false, the line is hidden so that the rows can use its space.
    void setHasRoom(bool hasRoom);
    // Returns the text below a column: the mean or, for the first column that has none, "mean of 12 rows".
    QString text(int column) const;
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void recompute();
    void showOrHide();

    TableView& m_view;
    const TableModel& m_model;
    const Theme* m_theme = &lightTheme();
    QTimer m_soon;
    bool m_hasRoom = true;
    bool m_hasMeans = false;
    int m_label = -1;             // column
    std::vector<QString> m_texts; // indexed by column
};

} // namespace lockstep
