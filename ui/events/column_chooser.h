// SPDX-License-Identifier: Apache-2.0
// ColumnChooser: a list that drops down from its button: which columns a table of events has, in which order;
// boxes are ticked, lines are dragged, Reset brings the first ones back. UI thread.
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
    // table outlives it.
    explicit ColumnChooser(EventTable& table, QWidget* parent = nullptr);

    // Below the button, at its right edge.
    void popUp(const QWidget& button);
    QListWidget* list() const { return m_list; }
    QLineEdit* findField() const { return m_find; }

  signals:
    void chosen(); // the table has its columns now

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
