// SPDX-License-Identifier: Apache-2.0
// ColumnChooser is a popup list that shows, hides and reorders the columns of an event table; Reset
// restores the defaults. UI thread.
#pragma once

#include <QFrame>

#include "ui/events/event_table.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace lockstep {

class ColumnChooser : public QFrame {
    Q_OBJECT

  public:
    // `table` must outlive the chooser.
    explicit ColumnChooser(EventTable& table, QWidget* parent = nullptr);

    // Opens the popup below the button, at its right edge.
    void popUp(const QWidget& button);
    QListWidget* list() const { return m_list; }
    QLineEdit* findField() const { return m_find; }

  signals:
    void chosen(); // emitted after the new columns are applied to the table

  private:
    void fill();
    void apply();
    void find(const QString& text);

    EventTable& m_table;
    QLineEdit* m_find;
    QListWidget* m_list;
    QLabel* m_count;
    bool m_isFilling = false;
};

} // namespace lockstep
