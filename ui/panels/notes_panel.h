// NotesPanel: what was skipped, repaired or lost while opening, and why: all reports in one table, with a
// switch for each severity and a text filter. UI thread.
#pragma once

#include <array>

#include <QWidget>

#include "ui/models/notes_model.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class TableView;

class NotesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit NotesPanel(QWidget* parent = nullptr);

    void setRows(std::vector<NoteRow> rows);
    void setTheme(const Theme& theme);
    TableView* view() const { return m_view; }
    const NotesModel& model() const { return *m_model; } // the rows whose severity is switched on
    QPushButton* severitySwitch(NoteGravity gravity) const
    {
        return m_switches[static_cast<size_t>(gravity)];
    }

  signals:
    void summaryChanged(const QString& text);

  private:
    void showRows();

    std::vector<NoteRow> m_rows;
    std::array<QPushButton*, kNoteGravities> m_switches{};
    QLabel* m_hint;
    QWidget* m_bar;
    QLineEdit* m_find;
    NotesModel* m_model;
    TableView* m_view;
};

} // namespace lockstep
