// SPDX-License-Identifier: Apache-2.0
#include "ui/models/mark_model.h"

#include <algorithm>
#include <cstdlib>

#include "ui/models/table_roles.h"

namespace lockstep {

MarkModel::MarkModel(MarkStore& store, QObject* parent) : QAbstractTableModel(parent), m_store(store) {}

void MarkModel::refresh()
{
    std::vector<int64_t> numbers;
    for (const Mark& mark : m_store.marks().all())
        numbers.push_back(mark.number);
    chooseUnits();
    if (numbers == m_numbers) {
        if (!numbers.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnEnd - 1));
        return;
    }
    beginResetModel();
    m_numbers = std::move(numbers);
    endResetModel();
}

void MarkModel::chooseUnits()
{
    int64_t last_ns = 0, longest_ns = 0;
    for (const Mark& mark : m_store.marks().all()) {
        const auto& aligned = m_store.placed(mark.number).aligned;
        if (!aligned) continue;
        last_ns = std::max(last_ns, std::abs(aligned->begin.ns));
        longest_ns = std::max(longest_ns, aligned->length().ns);
    }
    const TimeColumn times = TimeColumn::positions(last_ns), lengths(longest_ns);
    const bool isChanged = times != m_times || lengths != m_lengths;
    m_times = times;
    m_lengths = lengths;
    if (isChanged) emit headerDataChanged(Qt::Horizontal, timeColumn, lengthColumn);
}

void MarkModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
}

int64_t MarkModel::numberAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_numbers[static_cast<size_t>(row)] : 0;
}

int MarkModel::rowOf(int64_t number) const
{
    const auto at = std::ranges::lower_bound(m_numbers, number);
    return at != m_numbers.end() && *at == number ? static_cast<int>(at - m_numbers.begin()) : -1;
}

int MarkModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_numbers.size());
}

int MarkModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnEnd;
}

QVariant MarkModel::textOf(const Mark& mark, int column) const
{
    const PlacedMark& placed = m_store.placed(mark.number);
    switch (column) {
    case numberColumn:
        return static_cast<qlonglong>(mark.number);
    case kindColumn:
        return QString::fromStdString(std::string(mark.isNote() ? "note, " : "marker, ") +
                                      std::string(markKindName(mark.kind)));
    case timeColumn:
        return placed.aligned ? m_times.text(placed.aligned->begin.ns) : tr("not placed");
    case lengthColumn:
        if (!placed.aligned || placed.aligned->isEmpty()) return QString();
        return m_lengths.text(placed.aligned->length().ns);
    case rankColumn:
        return mark.begin.report && mark.begin.report->rank
                   ? QVariant(static_cast<qlonglong>(*mark.begin.report->rank))
                   : QVariant();
    case laneColumn:
        return QString::fromStdString(mark.lane);
    case textColumn:
        return QString::fromStdString(mark.text.empty() ? mark.name : mark.text);
    case placeColumn:
        return m_store.explain(mark.number);
    default:
        return {};
    }
}

QVariant MarkModel::sortKeyOf(const Mark& mark, int column) const
{
    const PlacedMark& placed = m_store.placed(mark.number);
    if (column == timeColumn)
        return placed.aligned ? QVariant(static_cast<qlonglong>(placed.aligned->begin.ns)) : QVariant();
    if (column == lengthColumn)
        return placed.aligned ? QVariant(static_cast<qlonglong>(placed.aligned->length().ns)) : QVariant();
    return textOf(mark, column);
}

QVariant MarkModel::data(const QModelIndex& index, int role) const
{
    const Mark* const mark = m_store.marks().find(numberAt(index.row()));
    if (mark == nullptr) return {};
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        // The cell shows one line; the tooltip has the whole note.
        return column == textColumn ? textOf(*mark, column).toString().replace('\n', ' ')
                                    : textOf(*mark, column);
    case Qt::EditRole:
        return column == textColumn ? QString::fromStdString(mark->text) : textOf(*mark, column);
    case Qt::ToolTipRole:
        return textOf(*mark, column).toString();
    case TableRole::sortRole:
        return sortKeyOf(*mark, column);
    case TableRole::copyRole:
        return column == timeColumn || column == lengthColumn ? sortKeyOf(*mark, column)
                                                              : textOf(*mark, column);
    case Qt::ForegroundRole:
        if (!m_store.placed(mark->number).aligned) return m_theme->mutedText;
        return column == placeColumn ? QVariant(m_theme->warn) : QVariant();
    case Qt::TextAlignmentRole:
        return column == numberColumn || column == timeColumn || column == lengthColumn ||
                       column == rankColumn
                   ? QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter))
                   : QVariant();
    default:
        return {};
    }
}

QVariant MarkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    const QStringList names{tr("No."),  tr("Kind"), tr("Time"), tr("Length"),
                            tr("Rank"), tr("Lane"), tr("Note"), tr("Placement")};
    const QStringList units{"", "", "ns", "ns", "", "", "", ""};
    if (role == TableRole::copyRole && !units.value(section).isEmpty())
        return names.value(section) + " (" + units.value(section) + ")";
    if (role == Qt::DisplayRole && section == timeColumn) return m_times.header(names[section]);
    if (role == Qt::DisplayRole && section == lengthColumn) return m_lengths.header(names[section]);
    if (role == Qt::DisplayRole || role == TableRole::copyRole) return names.value(section);
    return {};
}

Qt::ItemFlags MarkModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == textColumn ? flags | Qt::ItemIsEditable : flags;
}

bool MarkModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || index.column() != textColumn) return false;
    return m_store.setText(numberAt(index.row()), markText(value.toString().toStdString())).has_value();
}

} // namespace lockstep
