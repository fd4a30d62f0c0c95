// SPDX-License-Identifier: Apache-2.0
// SummaryRow is a line below a table, which does not scroll with the rows. It shows the total of every column
// of sums and the mean of every other numeric column, computed over the rows that pass the filters. Its cells
// are aligned with the columns of the table. UI thread.
#pragma once

#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/style/theme.h"

namespace lockstep {

class TableModel;
class TableView;

class SummaryRow : public QWidget {
    Q_OBJECT

  public:
    // Maximum number of rows that are added up, because more rows would block the event loop. If the table
    // has more rows, the line states this maximum.
    static constexpr int kMaxRows = 200'000;

    // model: the model shown by the view. Both must outlive the line.
    SummaryRow(TableView& view, const TableModel& model, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    // If false, the line is hidden so that the rows can use its space.
    void setHasRoom(bool hasRoom);
    // Returns the text below a column: the number or, for the first column that has none, the caption, such
    // as "mean of 12 rows".
    QString text(int column) const;
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void recompute();
    QString caption(int rows, bool hasSum, bool hasMean) const;
    void showOrHide();

    TableView& m_view;
    const TableModel& m_model;
    const Theme* m_theme = &lightTheme();
    QTimer m_soon;
    bool m_hasRoom = true;
    bool m_hasNumbers = false;
    int m_label = -1;             // column of the caption
    QString m_shortLabel;         // shown where the caption does not fit
    std::vector<QString> m_texts; // indexed by column
};

} // namespace lockstep
