// SPDX-License-Identifier: Apache-2.0
// ReportIdentityModel: whose each open report is, a row per report: file, tool, run, host, role, rank, local
// rank, step, stage, capture. A cell shows what is known; its font and tooltip tell how sure and from where.
// It asks for changes; the owner of the entries makes them. UI thread.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "ui/models/report_entry.h"
#include "ui/style/theme.h"

namespace lockstep {

// One cell that the user set: a part of statableParts(); an empty text takes back what was said before.
struct IdentityCell {
    ReportKey key; // ReportEntry::key
    std::string part;
    std::string text;
};

class ReportIdentityModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit ReportIdentityModel(QObject* parent = nullptr);

    // Takes the open ones of the entries.
    void setEntries(const std::vector<ReportEntry>& entries);
    void setTheme(const Theme& theme);
    // Sets all cells of editable columns together; one editRequested() follows.
    void setCells(const std::vector<std::pair<QModelIndex, QString>>& cells);
    // "rank": the part a column shows; empty for the file's column.
    static std::string_view partAt(int column);
    static bool isEditable(int column);
    static int columnOf(std::string_view part);
    // All values of a column that occur, each once, with the usual roles in the role's column.
    QStringList valuesOf(int column) const;
    // Reports of which a part is unknown.
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
