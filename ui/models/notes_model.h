// SPDX-License-Identifier: Apache-2.0
// NotesModel lists every problem found while opening reports as a row: its severity, count, kind and report,
// how it was handled, and the first example. Files that could not be opened or were skipped in a folder are
// rows too. UI thread.
#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QColor>

#include "core/readers/report_search.h"
#include "ui/models/report_entry.h"
#include "ui/style/theme.h"

namespace lockstep {

struct NoteRow {
    NoteSeverity severity = NoteSeverity::info;
    uint64_t count = 0;
    std::string kind;
    std::string report;
    std::string text;
    std::string example;
    bool isFailure = false; // the file could not be opened at all
    HelpTopic help = HelpTopic::none;
    std::vector<std::string> reports =
        {}; // labels of all reports with this note; then `report` is their number
};

// Severity of a row, in ascending order.
enum class NoteGravity : uint8_t { info, warning, dataLoss, missing };
inline constexpr size_t kNoteGravities = 4;
NoteGravity gravityOf(const NoteRow& row);
// Returns the name for display, e.g. "warning"; NoteGravity::missing reads "not opened".
QString gravityText(NoteGravity gravity);

// Returns the rows: failures first, then by severity, then in the order of the entries. Equal notes of
// several reports are one row with the sum of their counts and the example of the first.
std::vector<NoteRow> noteRows(const std::vector<ReportEntry>& entries,
                              const std::vector<SkippedFile>& skipped);

class NotesModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        severityColumn,
        countColumn,
        kindColumn,
        reportColumn,
        textColumn,
        exampleColumn,
        columnEnd
    };

    explicit NotesModel(QObject* parent = nullptr);

    void setRows(std::vector<NoteRow> rows);
    void setTheme(const Theme& theme);
    const std::vector<NoteRow>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<NoteRow> m_rows;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
