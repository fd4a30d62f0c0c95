// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/change_model.h"

#include <cmath>
#include <cstdlib>

#include <QPainter>

#include "core/base/text.h"
#include "ui/models/column_unit.h"
#include "ui/models/table_roles.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kBarWidth = 76; // px at scale 1

bool isBeyondNoise(const ChangedRow& row)
{
    return row.confidence != ChangeConfidence::noise && row.change_ns() != 0;
}

} // namespace

void ChangeModel::setRows(std::shared_ptr<const ChangedRows> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_greatest_ns = 1;
    int64_t longest = 0;
    for (int i = 0; const ChangedRow* const row = rowAt(i); ++i) {
        m_greatest_ns = std::max(m_greatest_ns, std::abs(row->change_ns()));
        longest = std::max({longest, row->before_ns.value_or(0), row->after_ns.value_or(0)});
    }
    m_shift = longest >= 1'000'000'000'000 ? 9 : longest >= 100'000 ? 6 : 3;
    endResetModel();
}

void ChangeModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, count - 1));
}

const ChangedRow* ChangeModel::rowAt(int row) const
{
    if (m_rows == nullptr || row < 0 || row >= static_cast<int>(m_rows->rows.size())) return nullptr;
    return &m_rows->rows[static_cast<size_t>(row)];
}

int ChangeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_rows == nullptr ? 0 : static_cast<int>(m_rows->rows.size());
}

QString ChangeModel::timeText(int64_t ns, bool isChange) const
{
    const QString figure = groupedFixedPoint(std::abs(ns), m_shift, 3);
    if (!isChange) return figure;
    return ns == 0 ? figure : (ns > 0 ? QString("+") : QString(QChar(0x2212))) + figure;
}

QString ChangeModel::text(const ChangedRow& row, int column) const
{
    const QString none(QChar(0x2014));
    const auto number = [](int64_t n) { return QString::fromStdString(groupedText(n)); };
    switch (column) {
    case name:
        return QString::fromStdString(row.name);
    case before:
        return row.before_ns ? timeText(*row.before_ns, false) : none;
    case after:
        return row.after_ns ? timeText(*row.after_ns, false) : none;
    case change: {
        // The shape of the triangle conveys the same information as the color.
        const QString sign = !isBeyondNoise(row)   ? QString()
                             : row.change_ns() > 0 ? QString::fromUtf8("\u25B2 ")
                                                   : QString::fromUtf8("\u25BC ");
        return sign + timeText(row.change_ns(), true);
    }
    case percent: {
        if (!row.before_ns) return tr("only in B");
        if (!row.after_ns) return tr("only in A");
        const auto share = row.changePercent();
        if (!share) return none;
        const QString figure = groupedFixedPoint(std::llround(std::abs(*share) * 10), 1, 1);
        return *share == 0 ? figure : (*share > 0 ? QString("+") : QString(QChar(0x2212))) + figure;
    }
    case interval:
        if (!row.interval) return none;
        return timeText(std::llround(row.interval->low), true) + QString::fromUtf8(" \u2026 ") +
               timeText(std::llround(row.interval->high), true);
    case confidence:
        switch (row.confidence) {
        case ChangeConfidence::high:
            return tr("high");
        case ChangeConfidence::medium:
            return tr("medium (n = %1)").arg(std::min(row.countBefore, row.countAfter));
        case ChangeConfidence::noise:
            return tr("within noise");
        case ChangeConfidence::isNew:
            return tr("new");
        case ChangeConfidence::isGone:
            return tr("removed");
        default:
            return tr("unknown (n = %1)").arg(std::min(row.countBefore, row.countAfter));
        }
    case countBefore:
        return number(row.countBefore);
    case countAfter:
        return number(row.countAfter);
    default:
        return {};
    }
}

QVariant ChangeModel::sortValue(const ChangedRow& row, int column) const
{
    const auto size = [](int64_t ns) { return static_cast<double>(std::abs(ns)); };
    switch (column) {
    case name:
        return QString::fromStdString(row.name);
    case before:
        return row.before_ns ? QVariant(static_cast<double>(*row.before_ns)) : QVariant();
    case after:
        return row.after_ns ? QVariant(static_cast<double>(*row.after_ns)) : QVariant();
    case change:
    case bar:
        return size(row.change_ns());
    case percent: {
        const auto share = row.changePercent();
        return share ? QVariant(*share) : QVariant();
    }
    case interval:
        return row.interval ? QVariant(row.interval->high - row.interval->low) : QVariant();
    case confidence:
        return static_cast<int>(row.confidence);
    case countBefore:
        return static_cast<double>(row.countBefore);
    default:
        return static_cast<double>(row.countAfter);
    }
}

QVariant ChangeModel::color(const ChangedRow& row, int column) const
{
    const bool isNoise = !isBeyondNoise(row);
    if (column == change || column == percent) {
        if (isNoise) return m_theme->mutedText;
        return row.change_ns() > 0 ? m_theme->bad : m_theme->good;
    }
    if (column == countAfter && row.countBefore != row.countAfter) return m_theme->warn;
    if (isNoise && column != name) return m_theme->mutedText;
    return column == interval ? QVariant(m_theme->mutedText) : QVariant();
}

QVariant ChangeModel::data(const QModelIndex& index, int role) const
{
    const ChangedRow* const row = index.isValid() ? rowAt(index.row()) : nullptr;
    if (row == nullptr) return {};
    const int column = index.column();
    const bool isNumber = column != name && column != confidence && column != bar;
    switch (role) {
    case Qt::DisplayRole:
        return text(*row, column);
    case Qt::ToolTipRole:
        return column == name ? QVariant(text(*row, column)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        return color(*row, column);
    case sortRole:
        return sortValue(*row, column);
    case copyRole:
        if (column == before || column == after)
            return sortValue(*row, column).isValid()
                       ? QString::number(column == before ? *row->before_ns : *row->after_ns)
                       : QString();
        return column == change ? QString::number(row->change_ns()) : text(*row, column);
    case numberRole:
        if (column == change) return static_cast<double>(row->change_ns());
        if (column == interval) return row->interval ? QVariant(0.0) : QVariant();
        return isNumber ? sortValue(*row, column) : QVariant();
    default:
        return {};
    }
}

QVariant ChangeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    const QString unit = m_shift == 9 ? "s" : m_shift == 6 ? "ms" : QString::fromUtf8("\u00B5s");
    const auto header = [&](int column) -> QString {
        switch (column) {
        case name:
            return tr("Name");
        case before:
            return tr("A total (%1)").arg(unit);
        case after:
            return tr("B total (%1)").arg(unit);
        case change:
            return tr("Change (%1)").arg(unit);
        case percent:
            return tr("Change (%)");
        case interval:
            return tr("95 % interval");
        case confidence:
            return tr("Confidence");
        case countBefore:
            return tr("Instances A");
        case countAfter:
            return tr("Instances B");
        default:
            return {};
        }
    };
    if (role == Qt::DisplayRole) return header(section);
    if (role == copyRole)
        return section == before   ? QString("a_ns")
               : section == after  ? QString("b_ns")
               : section == change ? QString("change_ns")
                                   : header(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (section == name || section == confidence ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole && section == interval)
        return tr("Significance of the change (Welch's t-test); assumes that instances or steps are "
                  "independent");
    if (role == Qt::ToolTipRole && section == confidence)
        return tr(
            "High: the 95 % interval excludes 0 (n \u2265 30). Medium: it excludes 0 with fewer instances. "
            "Within noise: it includes 0.");
    return {};
}

ChangeDelegate::ChangeDelegate(TableView* view, const ChangeModel& model)
    : TableCellDelegate(view), m_view(*view), m_model(model)
{
}

// Draws the change as a bar from the middle: to the right for more, to the left for less. The bar is hatched
// if one side has no instances.
void ChangeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    TableCellDelegate::paint(painter, option, index);
    if (index.column() != ChangeModel::bar) return;
    const ChangedRow* const row = m_model.rowAt(m_view.tableRowOf(index.row()));
    if (row == nullptr) return;
    const QRect inner = option.rect.adjusted(scaledPixels(8), 0, -scaledPixels(8), 0);
    const int middle = inner.center().x(), half = inner.width() / 2;
    const int height = scaledPixels(8), top = inner.center().y() - height / 2;
    const Theme& theme = *m_barTheme;
    painter->fillRect(middle, option.rect.top(), 1, option.rect.height() - 1, theme.line);
    const double part =
        static_cast<double>(std::abs(row->change_ns())) / static_cast<double>(m_model.greatest_ns());
    const int length = row->change_ns() == 0 ? 0 : std::max(1, static_cast<int>(half * part));
    const QRect drawn(row->change_ns() > 0 ? middle : middle - length, top, length, height);
    const bool isNoise = row->confidence == ChangeConfidence::noise;
    const QColor color = isNoise ? theme.mutedText : row->change_ns() > 0 ? theme.bad : theme.good;
    const bool isOneSided =
        row->confidence == ChangeConfidence::isNew || row->confidence == ChangeConfidence::isGone;
    if (length == 0) return;
    if (!isOneSided) return painter->fillRect(drawn, color);
    painter->fillRect(drawn, QBrush(color, Qt::BDiagPattern));
    painter->save();
    painter->setPen(color);
    painter->drawRect(drawn.adjusted(0, 0, -1, -1));
    painter->restore();
}

QSize ChangeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QSize size = TableCellDelegate::sizeHint(option, index);
    return index.column() == ChangeModel::bar ? QSize(scaledPixels(kBarWidth), size.height()) : size;
}

} // namespace lockstep
