// SPDX-License-Identifier: Apache-2.0
// NotesPanel lists what was skipped, repaired or lost while opening, and why: the notes of all reports are in
// one table, with a switch per severity and a text filter. UI thread.
#pragma once

#include <array>

#include "ui/models/notes_model.h"
#include "ui/window/panel.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class ReportList;
class TableView;

class NotesPanel : public Panel {
    Q_OBJECT

  public:
    // `list` must outlive the panel.
    explicit NotesPanel(const ReportList& list, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    TableView* view() const { return m_view; }
    const NotesModel& model() const { return *m_model; } // contains the rows whose severity is switched on
    QPushButton* severitySwitch(NoteGravity gravity) const
    {
        return m_switches[static_cast<size_t>(gravity)];
    }

  protected:
    void rebuild() override;

  private:
    void showRows();
    // Returns the help page for the current row; empty if there is none.
    QString helpOfRow() const;

    const ReportList& m_list;
    std::vector<NoteRow> m_rows;
    std::array<QPushButton*, kNoteGravities> m_switches{};
    QLabel* m_hint;
    QWidget* m_bar;
    QLineEdit* m_find;
    QPushButton* m_help;
    NotesModel* m_model;
    TableView* m_view;
};

} // namespace lockstep
