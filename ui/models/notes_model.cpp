// SPDX-License-Identifier: Apache-2.0
#include "ui/models/notes_model.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/trace/repeated_work.h"
#include "ui/help/help_topics.h"
#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

constexpr const char* kHeldKind = "file.memory_limit";

QString severityText(const NoteRow& row)
{
    return row.kind == kHeldKind ? NotesModel::tr("not loaded") : gravityText(gravityOf(row));
}

// Returns the reports of the row, one per line, up to a screenful.
QString reportsText(const NoteRow& row)
{
    constexpr size_t kMaxLines = 40;
    QStringList lines;
    for (size_t i = 0; i < std::min(row.reports.size(), kMaxLines); ++i)
        lines << QString::fromStdString(row.reports[i]);
    if (row.reports.size() > kMaxLines) lines << QString(QChar(0x2026));
    return row.reports.empty() ? QString::fromStdString(row.report) : lines.join('\n');
}

int urgencyOf(const NoteRow& row)
{
    return static_cast<int>(gravityOf(row));
}

// Adds one row per reason for the skipped files.
void addSkipped(std::vector<NoteRow>& rows, const std::vector<SkippedFile>& skipped)
{
    const size_t first = rows.size();
    for (const SkippedFile& file : skipped) {
        const auto same = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                                       [&](const NoteRow& row) { return row.text == file.reason; });
        if (same != rows.end()) {
            ++same->count;
            same->example += "\n" + file.path.string();
        } else {
            rows.push_back({NoteSeverity::info, 1, "folder.passed_over",
                            file.path.parent_path().filename().string(), file.reason, file.path.string(),
                            false, file.help});
        }
    }
}

// Adds rows for reports whose work would be counted twice.
void addRepeated(std::vector<NoteRow>& rows, const std::vector<ReportEntry>& entries)
{
    Workspace open;
    for (const ReportEntry& entry : entries) {
        if (entry.state == ReportState::open && entry.key.isValid() && entry.identity)
            open.add(entry.key, entry.report, entry.identity);
    }
    for (const RepeatedWork& repeated : findRepeatedWork(open)) {
        const Report& report = open.report(repeated.report);
        rows.push_back({NoteSeverity::warning, repeated.parts.size(), "report.repeated",
                        report.provenance.path.filename().string(),
                        "duplicates the work of other open reports; hidden to avoid counting it twice",
                        partsText(open, repeated), false});
    }
    for (const auto& conflict : findConflictingReports(open)) {
        rows.push_back({NoteSeverity::warning, conflict.size(), "report.rivals",
                        reportLabel(open.report(conflict.front()), open.identity(conflict.front())),
                        conflictText(open, conflict), open.report(conflict.front()).provenance.path.string(),
                        false});
    }
}

// Merges rows that differ only in the report, so that a note of 1,000 ranks is one row. O(rows * different
// notes).
std::vector<NoteRow> merged(std::vector<NoteRow> rows)
{
    std::vector<NoteRow> out;
    for (NoteRow& row : rows) {
        const auto isSame = [&row](const NoteRow& other) {
            return !row.isFailure && !other.isFailure && row.severity == other.severity &&
                   row.kind == other.kind && row.text == other.text;
        };
        const auto same = std::ranges::find_if(out, isSame);
        if (same == out.end()) {
            row.reports = {row.report};
            out.push_back(std::move(row));
            continue;
        }
        same->count += row.count;
        if (std::ranges::find(same->reports, row.report) == same->reports.end())
            same->reports.push_back(row.report);
    }
    for (NoteRow& row : out) {
        if (row.reports.size() > 1)
            row.report = groupedText(static_cast<int64_t>(row.reports.size())) + " reports";
    }
    return out;
}

} // namespace

NoteGravity gravityOf(const NoteRow& row)
{
    if (row.isFailure) return NoteGravity::missing;
    return static_cast<NoteGravity>(static_cast<int>(row.severity));
}

QString gravityText(NoteGravity gravity)
{
    const std::array<QString, kNoteGravities> kWords{NotesModel::tr("info"), NotesModel::tr("warning"),
                                                     NotesModel::tr("data loss"),
                                                     NotesModel::tr("not opened")};
    return kWords[static_cast<size_t>(gravity)];
}

std::vector<NoteRow> noteRows(const std::vector<ReportEntry>& entries,
                              const std::vector<SkippedFile>& skipped)
{
    std::vector<NoteRow> rows;
    for (const ReportEntry& entry : entries) {
        if (entry.state == ReportState::failed) {
            rows.push_back({NoteSeverity::dataLoss, 1,
                            std::string("file.") + std::string(errorKindName(entry.error.kind)),
                            entry.path.filename().string(), entry.error.message, entry.path.string(), true,
                            entry.error.help});
        } else if (entry.state == ReportState::held) {
            rows.push_back({NoteSeverity::dataLoss, 1, kHeldKind, entry.path.filename().string(),
                            entry.error.message, entry.path.string(), true, entry.error.help});
        } else if (entry.state == ReportState::open) {
            const std::string label = reportLabel(*entry.report, identityOf(entry));
            for (const ImportNote& note : entry.report->notes.all()) {
                rows.push_back({note.severity, note.count, note.kind, label, note.text, note.example, false,
                                helpTopicOfNote(note.kind)});
            }
        }
    }
    rows = merged(std::move(rows));
    addRepeated(rows, entries);
    addSkipped(rows, skipped);
    std::ranges::stable_sort(rows, std::greater(), urgencyOf);
    return rows;
}

NotesModel::NotesModel(QObject* parent) : QAbstractTableModel(parent) {}

void NotesModel::setRows(std::vector<NoteRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void NotesModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (!m_rows.empty()) {
        emit dataChanged(index(0, severityColumn), index(rowCount() - 1, severityColumn),
                         {Qt::ForegroundRole});
    }
}

int NotesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int NotesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnEnd;
}

QVariant NotesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const NoteRow& row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::ForegroundRole && index.column() == severityColumn) {
        return urgencyOf(row) >= 2 ? m_theme->bad : urgencyOf(row) == 1 ? m_theme->warn : m_theme->mutedText;
    }
    if (index.column() == countColumn) {
        if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
        if (role == numberRole) return static_cast<double>(row.count);
        if (role == sortRole || role == copyRole) return qulonglong(row.count);
        if (role == Qt::DisplayRole)
            return QString::fromStdString(groupedText(static_cast<int64_t>(row.count)));
        return {};
    }
    if (role == sortRole && index.column() == severityColumn) return urgencyOf(row);
    if (role == Qt::ToolTipRole && index.column() == reportColumn) return reportsText(row);
    if (role != Qt::DisplayRole && role != sortRole && role != copyRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
    case severityColumn:
        return severityText(row);
    case kindColumn:
        return QString::fromStdString(row.kind);
    case reportColumn:
        return QString::fromStdString(row.report);
    case textColumn:
        return QString::fromStdString(row.text);
    case exampleColumn:
        return QString::fromStdString(row.example);
    default:
        return {};
    }
}

QVariant NotesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const std::array<QString, columnEnd> kNames{tr("Severity"), tr("Count"),   tr("Kind"),
                                                tr("Report"),   tr("Message"), tr("First example")};
    if (orientation != Qt::Horizontal || section < 0 || section >= columnEnd) return {};
    if (role == Qt::TextAlignmentRole) {
        return int((section == countColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::DisplayRole || role == copyRole) return QString(kNames[static_cast<size_t>(section)]);
    return {};
}

} // namespace lockstep
