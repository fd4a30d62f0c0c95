// SPDX-License-Identifier: Apache-2.0
#include "ui/models/table_filter.h"

#include <algorithm>
#include <functional>

#include <QRegularExpression>

#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

bool passes(const QModelIndex& cell, const QString& filter)
{
    static const QRegularExpression kComparison("^\\s*(<=|>=|<|>|=)\\s*(-?[0-9.]+)\\s*$");
    const QVariant number = cell.data(numberRole);
    const QRegularExpressionMatch match = kComparison.match(filter);
    if (number.isValid() && match.hasMatch()) {
        const double value = number.toDouble(), limit = match.captured(2).toDouble();
        const QString sign = match.captured(1);
        if (sign == "<") return value < limit;
        if (sign == "<=") return value <= limit;
        if (sign == ">") return value > limit;
        if (sign == ">=") return value >= limit;
        return value == limit;
    }
    return cell.data(copyRole).toString().contains(filter, Qt::CaseInsensitive) ||
           cell.data(Qt::DisplayRole).toString().contains(filter, Qt::CaseInsensitive);
}

} // namespace

TableFilter::TableFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(TableRole::sortRole);
    setDynamicSortFilter(true);
}

void TableFilter::setColumnFilter(int column, const QString& text)
{
    if (text.isEmpty()) {
        m_filters.remove(column);
    } else {
        m_filters[column] = text;
    }
    invalidateRowsFilter();
}

void TableFilter::setTextFilter(const QString& text)
{
    m_text = text;
    invalidateRowsFilter();
}

QVariant TableFilter::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::InitialSortOrderRole || orientation != Qt::Horizontal)
        return QSortFilterProxyModel::headerData(section, orientation, role);
    constexpr int kMaxSeen = 100; // the first rows may have no number in this column
    for (int row = 0; row < std::min(rowCount(), kMaxSeen); ++row) {
        if (index(row, section).data(numberRole).isValid()) return static_cast<int>(Qt::DescendingOrder);
    }
    return static_cast<int>(Qt::AscendingOrder);
}

bool TableFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    for (auto filter = m_filters.cbegin(); filter != m_filters.cend(); ++filter) {
        if (!passes(sourceModel()->index(row, filter.key(), parent), filter.value())) return false;
    }
    if (m_text.isEmpty()) return true;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column) {
        if (passes(sourceModel()->index(row, column, parent), m_text)) return true;
    }
    return false;
}

bool TableFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(TableRole::sortRole), b = right.data(TableRole::sortRole);
    if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    const QPartialOrdering order = QVariant::compare(a, b);
    return order == QPartialOrdering::Less;
}

} // namespace lockstep
