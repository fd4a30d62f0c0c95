// SPDX-License-Identifier: Apache-2.0
// AlignmentModel: the clocks of the open reports as rows: how each was put on the axis, how well, and what
// the person did to it. The column of shifts takes typed times ("12.5 us", "-3ms"). UI thread.
#pragma once

#include <QAbstractTableModel>

#include "core/align/alignment_report.h"
#include "core/scene/scene.h"
#include "ui/models/alignment_choice.h"
#include "ui/style/theme.h"

namespace lockstep {

class AlignmentModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        reportColumn,
        stateColumn, // proposed, accepted, locked, moved
        methodColumn,
        offsetColumn, // added to the place by the wall clock, by collectives and by hand
        driftColumn,
        errorColumn,
        guaranteedColumn,
        anchorColumn,
        violationColumn,
        confidenceColumn,
        shiftColumn, // by hand
        reasonColumn,
        columnEnd
    };

    explicit AlignmentModel(QObject* parent = nullptr);

    void setScene(const Scene& scene); // how all that are open are aligned
    void setChoice(const AlignmentChoice& choice);
    void setTheme(const Theme& theme);

    ReportKey keyAt(int row) const; // invalid outside of the table
    int rowOf(ReportKey key) const; // -1 where the report is not open
    const ClockMap* mapAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Of the shift's column: false for a text that is no time; the model changes when the choice does.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

  signals:
    void shiftTyped(ReportKey key, int64_t shift_ns);

  private:
    QString textAt(int row, int column) const;
    QString stateText(int row) const;
    QVariant sortValueAt(int row, int column) const;
    int64_t shiftAt(int row) const;

    struct Row {
        ReportKey key;
        QString label;
        AlignmentRow described;
        ClockMap map;
    };
    std::vector<Row> m_rows;
    AlignmentChoice m_choice;
    const Theme* m_theme = &lightTheme();
};

// "[−12.3 µs, +4 µs]"; "open" on a side that nothing bounds.
QString intervalText(const std::optional<ClockInterval>& interval);

} // namespace lockstep
