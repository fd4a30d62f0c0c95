// SPDX-License-Identifier: Apache-2.0
// AlignmentModel lists the clocks of the open reports as rows: how each clock is aligned, how precisely, and
// what the user changed. The column of manual offsets accepts typed times ("12.5 us", "-3ms"). UI thread.
#pragma once

#include <array>

#include <QAbstractTableModel>

#include "core/align/alignment_report.h"
#include "core/scene/scene.h"
#include "ui/models/alignment_choice.h"
#include "ui/models/time_column.h"
#include "ui/style/theme.h"

namespace lockstep {

class AlignmentModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        reportColumn,
        stateColumn, // proposed, accepted, locked, moved
        methodColumn,
        offsetColumn, // correction of the wall-clock position, derived from collectives and manual offsets
        driftColumn,
        errorColumn,
        guaranteedColumn,
        anchorColumn,
        violationColumn,
        confidenceColumn,
        shiftColumn, // manual offset
        reasonColumn,
        columnEnd
    };

    explicit AlignmentModel(QObject* parent = nullptr);

    void setScene(const Scene& scene); // lists all open reports
    void setChoice(const AlignmentChoice& choice);
    void setTheme(const Theme& theme);

    ReportKey keyAt(int row) const; // invalid for a row outside the table
    int rowOf(ReportKey key) const; // -1 if the report is not open
    const ClockMap* mapAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Emits shiftTyped() to request a manual offset. Returns false if the text is not a valid time. The model
    // itself changes only in setChoice().
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

  signals:
    void shiftTyped(ReportKey key, int64_t shift_ns);

  private:
    QString textAt(int row, int column) const;
    QString stateText(int row) const;
    QVariant sortValueAt(int row, int column) const;
    int64_t shiftAt(int row) const;
    void chooseUnits();

    struct Row {
        ReportKey key;
        QString label;
        AlignmentRow described;
        ClockMap map;
    };
    std::vector<Row> m_rows;
    std::array<TimeColumn, columnEnd> m_times; // indexed by column; used by the columns of times
    AlignmentChoice m_choice;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
