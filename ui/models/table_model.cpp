// SPDX-License-Identifier: Apache-2.0
#include "ui/models/table_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <QTextDocument>

#include "core/analysis/table_header.h"
#include "core/base/text.h"
#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

// Returns true for columns of whole bytes. Copying and sorting remain exact.
bool isPlainBytes(const TableColumn& column)
{
    return column.type == ColumnType::bytes && column.unit == "B" && column.decimals == 0;
}

// Returns false for columns of ordinals, ids or points in time.
bool hasMean(const TableColumn& column)
{
    if (column.type == ColumnType::text || column.meaning == ColumnMeaning::alignedTime) return false;
    static constexpr std::array<std::string_view, 24> kNumbering{
        "rank",    "local rank", "step",    "device", "stream", "context", "pid",    "tid",
        "process", "thread",     "replica", "id",     "corr",   "corrid",  "corrId", "report",
        "start",   "end",        "depth",   "parent", "level",  "rangeid", "bin",    "row"};
    std::string name = column.name.substr(0, column.name.find(':'));
    for (char& c : name)
        c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string_view last = std::string_view(name).substr(name.rfind(' ') + 1);
    const bool isNumbering = column.type == ColumnType::integer || column.type == ColumnType::time
                                 ? std::ranges::find(kNumbering, name) != kNumbering.end() ||
                                       std::ranges::find(kNumbering, last) != kNumbering.end()
                                 : false;
    return !isNumbering;
}

} // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setTable(std::shared_ptr<const Table> table)
{
    beginResetModel();
    m_table = std::move(table);
    m_units.clear();
    for (size_t column = 0; m_table && column < m_table->columnCount(); ++column)
        m_units.push_back(unitOf(column));
    endResetModel();
}

ColumnUnit TableModel::unitOf(size_t column) const
{
    const TableColumn& shown = m_table->column(column);
    const bool isBytes = isPlainBytes(shown);
    if (!isBytes && (shown.type != ColumnType::time || shown.unit != "ns")) return {"", 0, shown.decimals};
    double largest = 0;
    for (size_t row = 0; row < m_table->rowCount(); ++row) {
        if (m_table->hasNumber(column, row))
            largest = std::max(largest, std::abs(m_table->value(column, row)));
    }
    if (isBytes) return byteColumnUnit(largest);
    const ColumnUnit unit = timeColumnUnit(largest);
    return unit.shift >= 6 ? unit : ColumnUnit{"", 0, shown.decimals};
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->rowCount());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->columnCount());
}

QString TableModel::cellText(size_t column, size_t row) const
{
    const TableColumn& shown = m_table->column(column);
    if (shown.type == ColumnType::text) return QString::fromStdString(m_table->cell(column, row));
    return m_table->hasNumber(column, row) ? numberText(column, m_table->number(column, row)) : QString();
}

QString TableModel::numberText(size_t column, int64_t number) const
{
    const TableColumn& shown = m_table->column(column);
    const ColumnUnit& unit = m_units[column];
    if (isPlainBytes(shown)) return byteCellText(number, unit);
    return groupedFixedPoint(number, shown.decimals + unit.shift, unit.decimals);
}

QString TableModel::summaryText(size_t column, std::span<const int> rows) const
{
    if (!m_table) return {};
    const bool isSum = m_table->column(column).isSum;
    if (!isSum && !hasMean(m_table->column(column))) return {};
    long double sum = 0;
    int64_t count = 0;
    for (const int row : rows) {
        if (!m_table->hasNumber(column, static_cast<size_t>(row))) continue;
        sum += static_cast<long double>(m_table->number(column, static_cast<size_t>(row)));
        ++count;
    }
    if (count == 0) return {};
    if (isSum) return sumText(column, sum);
    const long double mean = sum / static_cast<long double>(count);
    if (m_table->column(column).type == ColumnType::integer && mean != std::floor(mean))
        return groupedFixedPoint(std::llround(mean * 10), 1, 1);
    return numberText(column, std::llround(mean));
}

QString TableModel::sumText(size_t column, long double sum) const
{
    // Only corrupt files lead to such totals.
    constexpr long double kLargest = 9e18L;
    if (std::abs(sum) > kLargest) return "\u03A3 \u2013";
    return "\u03A3 " + numberText(column, std::llround(sum));
}

// Appends the note of the row, unless the note already contains the text of the cell.
QString TableModel::tooltip(size_t column, size_t row) const
{
    const std::string_view noteText = m_table->note(row);
    const QString text = cellTooltip(column, row);
    const QString note = QString::fromUtf8(noteText.data(), static_cast<qsizetype>(noteText.size()));
    if (note.isEmpty()) return text;
    return note.contains(text) ? note : text + '\n' + note;
}

QString TableModel::cellTooltip(size_t column, size_t row) const
{
    const TableColumn& shown = m_table->column(column);
    if (shown.type == ColumnType::text) return cellText(column, row);
    const QString doc = QString::fromStdString(shown.doc);
    if (!isPlainBytes(shown) || !m_table->hasNumber(column, row)) return doc;
    return QString::fromStdString(groupedText(m_table->number(column, row))) + " B: " + doc;
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_table) return {};
    const auto column = static_cast<size_t>(index.column()), row = static_cast<size_t>(index.row());
    const bool isText = m_table->column(column).type == ColumnType::text;
    switch (role) {
    case Qt::DisplayRole:
        return cellText(column, row);
    case Qt::ToolTipRole:
        return tooltip(column, row);
    case Qt::TextAlignmentRole:
        return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case copyRole:
        return QString::fromStdString(m_table->cell(column, row));
    case numberRole:
        return m_table->hasNumber(column, row) ? QVariant(m_table->value(column, row)) : QVariant();
    case sortRole:
        if (isText) return cellText(column, row);
        return m_table->hasNumber(column, row) ? QVariant(qlonglong(m_table->number(column, row)))
                                               : QVariant();
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const auto column = static_cast<size_t>(section);
    const bool isText = m_table->column(column).type == ColumnType::text;
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(shownHeader(*m_table, column, m_units[column].name));
    case Qt::ToolTipRole:
        return QString::fromStdString(m_table->column(column).doc);
    case Qt::TextAlignmentRole:
        return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case copyRole:
        return QString::fromStdString(fileHeader(*m_table, column));
    default:
        return {};
    }
}

} // namespace lockstep
