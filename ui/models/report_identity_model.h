// SPDX-License-Identifier: Apache-2.0
// ReportIdentityModel lists the identity of each open report, one row per report: file, tool, run, host,
// role, rank, local rank, step, stage, capture. The font and the tooltip of a cell show its confidence and
// source. The model requests changes; the owner of the entries makes them. UI thread.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "ui/models/report_entry.h"
#include "ui/style/theme.h"

namespace lockstep {

// IdentityCell is one cell edited by the user. part: one of editableParts(). An empty string reverts an
// earlier edit.
struct IdentityCell {
    ReportKey key; // ReportEntry::key
    std::string part;
    std::string text;
};

class ReportIdentityModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit ReportIdentityModel(QObject* parent = nullptr);

    // Shows the entries that are open reports.
    void setEntries(const std::vector<ReportEntry>& entries);
    void setTheme(const Theme& theme);
    // Sets several cells in editable columns with a single editRequested().
    void setCells(const std::vector<std::pair<QModelIndex, QString>>& cells);
    // Returns the identity part of a column, e.g. "rank"; empty for the file column.
    static std::string_view partAt(int column);
    static bool isEditable(int column);
    static int columnOf(std::string_view part);
    // Returns the distinct values of a column; for the role column, also the common roles.
    QStringList valuesOf(int column) const;
    // Returns the number of reports for which a part is unknown.
    size_t unknownCount(std::string_view part) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    void editRequested(const std::vector<IdentityCell>& cells);

  private:
    QString textAt(const ReportEntry& entry, int column) const;
    QString tooltipAt(const ReportEntry& entry, int column) const;

    std::vector<ReportEntry> m_entries;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
