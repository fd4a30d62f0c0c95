// SPDX-License-Identifier: Apache-2.0
#include "ui/models/alignment_model.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "ui/models/report_entry.h"
#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

struct ColumnText {
    const char* name;
    const char* doc;
    bool isNumber;
};

constexpr std::array<ColumnText, AlignmentModel::columnEnd> kColumns{{
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Report"),
     QT_TRANSLATE_NOOP(
         "lockstep::AlignmentModel",
         "Rank, host and step, or the file name. Identical labels are distinguished by capture number, tool "
         "or file name."),
     false},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "State"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel",
                       "proposed: estimated by Lockstep; accepted, locked, moved: set by you"),
     false},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Method"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "How the clock was aligned with the common axis"), false},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Offset"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel",
                       "Correction to the wall-clock position, from collectives and your manual offset"),
     true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Drift"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Rate correction in parts per million"), true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Error"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel",
                       "Likely error of the estimate; never below 20 µs across hosts"),
     true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Guaranteed bounds"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel",
                       "Bounds of the true offset that hold even if collectives do not end at the same time"),
     true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Anchors"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Collectives that relate this clock to others"), true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Causality violations"),
     QT_TRANSLATE_NOOP(
         "lockstep::AlignmentModel",
         "Collectives that ended before they began on another rank: by wall clock \u2192 as aligned now"),
     true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Confidence"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "exact, good, fair, wallclock or none"), false},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Manual offset"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Your offset; type a time such as 12.5 us or -3 ms"),
     true},
    {QT_TRANSLATE_NOOP("lockstep::AlignmentModel", "Reason"),
     QT_TRANSLATE_NOOP("lockstep::AlignmentModel",
                       "Why this method was used, and where its numbers come from"),
     false},
}};

bool isTime(int column)
{
    return column == AlignmentModel::offsetColumn || column == AlignmentModel::errorColumn ||
           column == AlignmentModel::guaranteedColumn || column == AlignmentModel::shiftColumn;
}

QString ppmText(int64_t ppb)
{
    return QString::number(static_cast<double>(ppb) / 1000, 'f', 3).replace('-', QChar(0x2212)) + " ppm";
}

} // namespace

AlignmentModel::AlignmentModel(QObject* parent) : QAbstractTableModel(parent) {}

void AlignmentModel::setScene(const Scene& scene)
{
    const Workspace& workspace = scene.open;
    const Alignment& alignment = scene.alignment;
    beginResetModel();
    m_rows.clear();
    std::vector<std::string> labels;
    std::vector<std::vector<std::string>> marks;
    for (const AlignmentRow& row : describeAlignment(workspace, alignment, 1).rows) {
        const ReportKey key = row.report;
        labels.push_back(reportLabel(workspace.report(key), workspace.identity(key)));
        marks.push_back(reportMarks(workspace.report(key), workspace.identity(key)));
        m_rows.push_back({key, {}, row, alignment.map(key)});
    }
    disambiguate(labels, marks);
    for (size_t i = 0; i < m_rows.size(); ++i)
        m_rows[i].label = QString::fromStdString(labels[i]);
    chooseUnits();
    endResetModel();
}

void AlignmentModel::chooseUnits()
{
    std::array<int64_t, columnEnd> longest_ns{};
    const auto include = [&](Column column, int64_t ns) {
        longest_ns[column] = std::max(longest_ns[column], std::abs(ns));
    };
    for (int row = 0; row < rowCount(); ++row) {
        const ClockMap& map = m_rows[static_cast<size_t>(row)].map;
        include(offsetColumn, shiftAt(row) + map.correction_ns);
        include(errorColumn, map.error_ns.value_or(0));
        if (map.guaranteed) {
            include(guaranteedColumn, map.guaranteed->earliest_ns);
            include(guaranteedColumn, map.guaranteed->latest_ns);
        }
        include(shiftColumn, shiftAt(row));
    }
    for (size_t column = 0; column < columnEnd; ++column)
        m_times[column] = TimeColumn(longest_ns[column]);
}

void AlignmentModel::setChoice(const AlignmentChoice& choice)
{
    m_choice = choice;
    const auto before = m_times;
    chooseUnits();
    if (m_times != before) emit headerDataChanged(Qt::Horizontal, 0, columnEnd - 1);
    if (!m_rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnEnd - 1));
}

void AlignmentModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (!m_rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnEnd - 1));
}

ReportKey AlignmentModel::keyAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<size_t>(row)].key : ReportKey();
}

int AlignmentModel::rowOf(ReportKey key) const
{
    const auto found = std::ranges::find(m_rows, key, &Row::key);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

const ClockMap* AlignmentModel::mapAt(int row) const
{
    return row >= 0 && row < rowCount() ? &m_rows[static_cast<size_t>(row)].map : nullptr;
}

int AlignmentModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int AlignmentModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnEnd;
}

int64_t AlignmentModel::shiftAt(int row) const
{
    const auto found = m_choice.options.shifts_ns.find(keyAt(row));
    return found == m_choice.options.shifts_ns.end() ? 0 : found->second;
}

QString AlignmentModel::stateText(int row) const
{
    const ReportKey key = keyAt(row);
    const bool isMoved = shiftAt(row) != 0;
    if (m_choice.locked.contains(key)) return isMoved ? tr("locked, moved") : tr("locked");
    if (m_choice.options.accepted.contains(key)) return isMoved ? tr("accepted, moved") : tr("accepted");
    if (isMoved) return tr("moved");
    const Row& own = m_rows[static_cast<size_t>(row)];
    const bool isProposed =
        own.map.method == AlignMethod::collectives || own.map.method == AlignMethod::exchange;
    return isProposed ? tr("proposed") : QString();
}

QString AlignmentModel::textAt(int row, int column) const
{
    const Row& own = m_rows[static_cast<size_t>(row)];
    const ClockMap& map = own.map;
    const bool isFitted = !own.described.verdict.empty();
    switch (column) {
    case reportColumn:
        return own.label;
    case stateColumn:
        return stateText(row);
    case methodColumn:
        return QString::fromUtf8(alignMethodName(map.method));
    case offsetColumn: {
        const int64_t offset_ns = shiftAt(row) + map.correction_ns;
        return isFitted || offset_ns != 0 ? m_times[offsetColumn].signedText(offset_ns) : QString();
    }
    case driftColumn:
        if (map.drift_ppb == 0 && !map.driftError_ppb) return {};
        return ppmText(map.drift_ppb) +
               (map.driftError_ppb ? " \u00B1 " + ppmText(*map.driftError_ppb) : QString());
    case errorColumn:
        return map.error_ns ? "\u00B1 " + m_times[errorColumn].errorText(*map.error_ns) : QString();
    case guaranteedColumn:
        if (!map.guaranteed) return {};
        return "[" + m_times[guaranteedColumn].signedText(map.guaranteed->earliest_ns) + ", " +
               m_times[guaranteedColumn].signedText(map.guaranteed->latest_ns) + "]";
    case anchorColumn:
        return isFitted ? QString::number(map.anchorsUsed) : QString();
    case violationColumn:
        return isFitted ? QString("%1 \u2192 %2").arg(map.violationsBefore).arg(map.violationsAfter)
                        : QString();
    case confidenceColumn:
        return QString::fromUtf8(clockConfidenceName(map.confidence));
    case shiftColumn:
        return shiftAt(row) != 0 ? m_times[shiftColumn].signedText(shiftAt(row)) : QString();
    case reasonColumn:
        return QString::fromUtf8(map.reason);
    default:
        return {};
    }
}

QVariant AlignmentModel::sortValueAt(int row, int column) const
{
    const ClockMap& map = m_rows[static_cast<size_t>(row)].map;
    const auto number = [](int64_t value) { return QVariant(static_cast<qlonglong>(value)); };
    switch (column) {
    case offsetColumn:
        return number(shiftAt(row) + map.correction_ns);
    case driftColumn:
        return number(map.drift_ppb);
    case errorColumn:
        return map.error_ns ? number(*map.error_ns) : QVariant();
    case guaranteedColumn:
        return map.guaranteed ? number(map.guaranteed->latest_ns - map.guaranteed->earliest_ns) : QVariant();
    case anchorColumn:
        return number(map.anchorsUsed);
    case violationColumn:
        return number(map.violationsAfter);
    case confidenceColumn:
        return number(static_cast<int64_t>(map.confidence));
    case shiftColumn:
        return number(shiftAt(row));
    default:
        return textAt(row, column);
    }
}

QVariant AlignmentModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const int row = index.row(), column = index.column();
    const Row& own = m_rows[static_cast<size_t>(row)];
    switch (role) {
    case Qt::DisplayRole:
        return textAt(row, column);
    case Qt::ToolTipRole:
        if (column == offsetColumn) return tr("aligned time = timestamp + %1 ns").arg(own.map.offset_ns);
        return column == shiftColumn ? tr("Type a time such as 12.5 us or -3 ms") : textAt(row, column);
    case Qt::EditRole:
        return shiftAt(row) == 0 ? QString() : QString::number(shiftAt(row)) + "ns";
    case Qt::TextAlignmentRole:
        return int((kColumns[static_cast<size_t>(column)].isNumber ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (column == confidenceColumn && own.map.confidence == ClockConfidence::none) return m_theme->bad;
        if (column == confidenceColumn && own.map.confidence >= ClockConfidence::good) return m_theme->good;
        if (column == violationColumn && own.map.violationsAfter > 0) return m_theme->warn;
        return {};
    case numberRole: {
        const bool isNumber =
            kColumns[static_cast<size_t>(column)].isNumber && !textAt(row, column).isEmpty();
        return isNumber ? QVariant(sortValueAt(row, column).toDouble()) : QVariant();
    }
    case sortRole:
    case copyRole:
        return sortValueAt(row, column);
    default:
        return {};
    }
}

QVariant AlignmentModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnEnd) return {};
    const ColumnText& column = kColumns[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole && isTime(section))
        return m_times[static_cast<size_t>(section)].header(tr(column.name));
    if (role == copyRole && isTime(section)) return tr(column.name) + " (ns)";
    if (role == Qt::DisplayRole || role == copyRole) return tr(column.name);
    if (role == Qt::ToolTipRole) return tr(column.doc);
    if (role == Qt::TextAlignmentRole)
        return int((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

Qt::ItemFlags AlignmentModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.column() == shiftColumn && !m_choice.locked.contains(keyAt(index.row())))
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool AlignmentModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
    QString text = value.toString().simplified().remove(' ');
    text.replace(QChar(0x2212), '-').replace(QChar(0xB5), 'u');
    if (text.startsWith('+')) text.remove(0, 1);
    const auto shift_ns = text.isEmpty() ? std::optional<int64_t>(0) : parseDuration(text.toStdString());
    if (!shift_ns) return false;
    if (*shift_ns != shiftAt(index.row())) emit shiftTyped(keyAt(index.row()), *shift_ns);
    return true;
}

} // namespace lockstep
