// SPDX-License-Identifier: Apache-2.0
// MeanRow: the line below a table that stays while its rows scroll: the mean of every column of numbers over
// the rows that pass the filters. Its cells stand under the table's columns. UI thread.
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
    // Means of more rows would hold the event loop; the line then says so.
    static constexpr int kMostRows = 200'000;

    // model: the one that the view shows. Both outlive the line.
    MeanRow(TableView& view, const TableModel& model, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    // False: rows need the place more; it is hidden.
    void setHasRoom(bool hasRoom);
    // As it stands under the column; "mean of 12 rows" under the first column without one.
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
    std::vector<QString> m_texts; // by column
};

} // namespace lockstep
