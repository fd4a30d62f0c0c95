// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_identity_model.h"

#include <algorithm>
#include <array>

#include <QFont>

#include "core/base/text.h"
#include "core/trace/identity.h"
#include "ui/models/table_roles.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

struct IdentityColumn {
    const char* title;
    std::string_view part;
};

constexpr std::array<IdentityColumn, 10> kIdentityColumns{
    {{QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "File"), ""},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Tool"), "tool"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Run"), "run"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Host"), "host"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Role"), "role"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Rank"), "rank"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Local rank"), "local_rank"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Step"), "step"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Stage"), "stage"},
     {QT_TRANSLATE_NOOP("lockstep::ReportIdentityModel", "Capture"), "capture_index"}}};

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

} // namespace

ReportIdentityModel::ReportIdentityModel(QObject* parent) : QAbstractTableModel(parent) {}

std::string_view ReportIdentityModel::partAt(int column)
{
    return kIdentityColumns[static_cast<size_t>(column)].part;
}

bool ReportIdentityModel::isEditable(int column)
{
    return std::ranges::find(editableParts(), partAt(column)) != editableParts().end();
}

int ReportIdentityModel::columnOf(std::string_view part)
{
    return static_cast<int>(std::ranges::find(kIdentityColumns, part, &IdentityColumn::part) -
                            kIdentityColumns.begin());
}

void ReportIdentityModel::setEntries(const std::vector<ReportEntry>& entries)
{
    std::vector<ReportEntry> open;
    std::ranges::copy_if(entries, std::back_inserter(open),
                         [](const ReportEntry& entry) { return entry.state == ReportState::open; });
    const bool isSame = std::ranges::equal(open, m_entries, {}, &ReportEntry::key, &ReportEntry::key);
    if (!isSame) beginResetModel();
    m_entries = std::move(open);
    if (!isSame) return endResetModel();
    if (!m_entries.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ReportIdentityModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (!m_entries.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole});
}

void ReportIdentityModel::setCells(const std::vector<std::pair<QModelIndex, QString>>& cells)
{
    std::vector<IdentityCell> edits;
    for (const auto& [index, value] : cells) {
        if (!index.isValid() || !isEditable(index.column())) continue;
        const ReportEntry& entry = m_entries[static_cast<size_t>(index.row())];
        edits.push_back({entry.key, std::string(partAt(index.column())), value.trimmed().toStdString()});
    }
    if (!edits.empty()) emit editRequested(edits);
}

QStringList ReportIdentityModel::valuesOf(int column) const
{
    QStringList values;
    if (partAt(column) == "role")
        values << QStringList{"actor", "rollout", "ref", "critic", "reward", "controller"};
    for (const ReportEntry& entry : m_entries)
        values << textAt(entry, column);
    values.removeAll(QString());
    values.removeDuplicates();
    return values;
}

size_t ReportIdentityModel::unknownCount(std::string_view part) const
{
    return static_cast<size_t>(std::ranges::count_if(m_entries, [part](const ReportEntry& entry) {
        return partConfidence(identityOf(entry), part) == Confidence::none;
    }));
}

QString ReportIdentityModel::textAt(const ReportEntry& entry, int column) const
{
    if (column == 0) return QString::fromStdString(entry.path.filename().string());
    return QString::fromStdString(partText(identityOf(entry), partAt(column)));
}

QString ReportIdentityModel::tooltipAt(const ReportEntry& entry, int column) const
{
    if (column == 0) return QString::fromStdString(entry.path.string());
    const Identity& identity = identityOf(entry);
    const std::string_view part = partAt(column);
    const Confidence confidence = partConfidence(identity, part);
    if (confidence == Confidence::none) {
        return isEditable(column) ? tr("Unknown: not found in the content or the file name. Type a value.")
                                  : tr("Unknown: not found in the content or the file name.");
    }
    const QString line =
        tr("%1, from %2").arg(text(confidenceName(confidence)), text(partSource(identity, part)));
    const std::string own = partText(entry.report->identity, part);
    if (partConfidence(entry.identity->stated, part) == Confidence::none) return line;
    return own.empty()
               ? tr("%1\nThe file has no value. Press Delete to revert your edit.").arg(line)
               : tr("%1\nValue from the file: %2. Press Delete to revert your edit.").arg(line, text(own));
}

int ReportIdentityModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int ReportIdentityModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(kIdentityColumns.size());
}

QVariant ReportIdentityModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const ReportEntry& entry = m_entries[static_cast<size_t>(index.row())];
    const int column = index.column();
    const Confidence confidence =
        column == 0 ? Confidence::confirmed : partConfidence(identityOf(entry), partAt(column));
    switch (role) {
    case Qt::DisplayRole:
        return confidence == Confidence::none ? tr("unknown") : textAt(entry, column);
    case Qt::EditRole:
    case copyRole:
        return textAt(entry, column);
    case sortRole: {
        const QString value = textAt(entry, column);
        const auto number = parseInt(value.toStdString());
        if (value.isEmpty()) return {};
        return number ? QVariant(qlonglong(*number)) : QVariant(value);
    }
    case Qt::ToolTipRole:
        return tooltipAt(entry, column);
    case Qt::ForegroundRole:
        if (confidence == Confidence::none) return mixed(m_theme->window, m_theme->mutedText, 0.65);
        return confidence == Confidence::guessed ? QVariant(m_theme->mutedText) : QVariant();
    case Qt::FontRole: {
        const bool isStated = column > 0 && entry.identity &&
                              partConfidence(entry.identity->stated, partAt(column)) != Confidence::none;
        QFont font;
        if (isStated) font.setBold(true);
        if (confidence <= Confidence::guessed) font.setItalic(true);
        return isStated || confidence <= Confidence::guessed ? QVariant(font) : QVariant();
    }
    default:
        return {};
    }
}

QVariant ReportIdentityModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::ToolTipRole && partAt(section) == "capture_index")
        return tr("Number of the capture range within its process; the first is 1. Not the training step.");
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::DisplayRole || role == copyRole)
        return tr(kIdentityColumns[static_cast<size_t>(section)].title);
    return {};
}

bool ReportIdentityModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || !isEditable(index.column())) return false;
    setCells({{index, value.toString()}});
    return true;
}

Qt::ItemFlags ReportIdentityModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return isEditable(index.column()) ? flags | Qt::ItemIsEditable : flags;
}

} // namespace lockstep
