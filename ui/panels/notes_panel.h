// NotesPanel: what was skipped, repaired or lost while opening, and why: all reports in one table with a filter.
#pragma once

#include <QWidget>

#include "ui/models/notes_model.h"

class QLabel;
class QLineEdit;

namespace lockstep {

class TableView;

class NotesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit NotesPanel(QWidget* parent = nullptr);

    void setRows(std::vector<NoteRow> rows);
    void setTheme(const Theme& theme);
    TableView* view() const { return m_view; }
    const NotesModel& model() const { return *m_model; }

  signals:
    void summaryChanged(const QString& text);

  private:
    QLabel* m_hint;
    QLabel* m_count;
    QWidget* m_bar;
    QLineEdit* m_find;
    NotesModel* m_model;
    TableView* m_view;
};

} // namespace lockstep
