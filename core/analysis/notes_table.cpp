// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/notes_table.h"

#include <algorithm>

#include "core/analysis/registry.h"
#include "core/analysis/summary.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kNotesTitle = "Markers";

struct NotesColumns {
    explicit NotesColumns(Table& table)
    {
        const auto text = [&](const char* header, const char* doc) {
            return table.addColumn({header, "", ColumnType::text, 0, doc});
        };
        const auto count = [&](const char* header, const char* doc) {
            return table.addColumn({header, "", ColumnType::integer, 0, doc});
        };
        const auto time = [&](const char* header, const char* doc) {
            return table.addColumn({header, "ns", ColumnType::time, 0, doc});
        };
        id = count("id", "marker number in the workspace");
        kind = text("kind", "time, range, slice or area");
        utc = text("time_utc", "start, UTC; empty if the axis has no UTC or the marker cannot be placed");
        start = table.addColumn({"start", "ns", ColumnType::time, 0,
                                 "start on the aligned axis; empty if the marker cannot be placed",
                                 ColumnMeaning::alignedTime});
        duration = time("duration", "duration; 0 for a time; empty if the marker cannot be placed");
        clock = time("report_clock", "start on the report's own clock; empty if set on the axis");
        report = text("report", "file name of the marker's report; empty if set on the axis");
        rank = count("rank", "rank in the job; empty if unknown");
        lane = text("lane", "lane of the marker, by its name at that time");
        name = text("name", "name of the slice, for slice markers");
        note = text("text", "text of the note; empty if there is none");
        found = text("found", "yes, or how else the marker was placed, or why it was not");
        made = text("made_utc", "time at which the marker was set, UTC");
    }

    size_t id, kind, utc, start, duration, clock, report, rank, lane, name, note, found, made;
};

std::string stampText(int64_t epoch_ns)
{
    std::string time = utcTimeText(epoch_ns);
    for (size_t at = time.find("\u2009"); at != time.npos; at = time.find("\u2009", at))
        time.erase(at, std::string_view("\u2009").size());
    return utcDateText(epoch_ns) + "T" + time + "Z";
}

bool isMarkInScope(const Scope& scope, const Scene& scene, const Mark& mark, const PlacedMark& placed)
{
    const Identity unknown;
    const bool isKnown = placed.report.isValid() && scene.shown.has(placed.report);
    if (!isInScope(scope, isKnown ? scene.shown.identity(placed.report) : unknown)) return false;
    // Markers have no device or stream.
    if (!scope.devices.empty() || !scope.streams.empty()) return false;
    if (scope.name && !scope.name->matches(mark.name)) return false;
    if (!scope.time) return true;
    if (!placed.aligned) return false;
    return isInWindow(scope, scope.time, *placed.aligned);
}

void addNoteRow(Table& table, const NotesColumns& columns, const Scene& scene, const Mark& mark,
                const PlacedMark& placed)
{
    table.setNumber(columns.id, mark.number);
    table.setText(columns.kind, markKindName(mark.kind));
    if (placed.aligned) {
        table.setNumber(columns.start, placed.aligned->begin.ns);
        table.setNumber(columns.duration, placed.aligned->length().ns);
        const auto& zero = scene.alignment.utcAtZero_ns;
        if (zero) table.setText(columns.utc, stampText(*zero + placed.aligned->begin.ns));
    }
    if (const auto& anchor = mark.begin.report; anchor != nullptr) {
        table.setNumber(columns.clock, mark.begin.at.ns);
        table.setText(columns.report, anchor->name);
        std::optional<int64_t> rank = anchor->rank;
        if (placed.report.isValid() && scene.open.identity(placed.report).rank.value)
            rank = *scene.open.identity(placed.report).rank.value;
        if (rank) table.setNumber(columns.rank, *rank);
    }
    table.setText(columns.lane, mark.lane);
    table.setText(columns.name, mark.name);
    table.setText(columns.note, mark.text);
    table.setText(columns.found, markPlacementName(placed.placement));
    if (mark.createdAt_utc_ns != 0) table.setText(columns.made, stampText(mark.createdAt_utc_ns));
}

Result<Table> emptyNotes(const AnalysisRequest& request, const Progress&)
{
    return notesTable(request.what, {}, request.scene, request.scope);
}

} // namespace

Table notesTable(std::string_view what, const MarkList& marks, const Scene& scene, const Scope& scope)
{
    Table table{std::string(what), std::string(kNotesTitle)};
    table.headerStyle = HeaderStyle::identifier;
    addGroupColumn(table, scope.by);
    const NotesColumns columns(table);
    MarkPlacer placer(scene);
    struct Row {
        GroupKey group;
        const Mark* mark;
        PlacedMark placed;
    };
    std::vector<Row> rows;
    for (const Mark& mark : marks.all()) {
        const PlacedMark placed = placer.place(mark);
        if (!isMarkInScope(scope, scene, mark, placed)) continue;
        GroupKey group;
        group.isUnknown = scope.by != GroupBy::total;
        if (placed.report.isValid() && scene.shown.has(placed.report))
            group = groupKeyOf(scope.by, scene.shown, placed.report, {});
        rows.push_back({std::move(group), &mark, placed});
    }
    std::ranges::stable_sort(rows, {}, &Row::group);
    for (const Row& row : rows) {
        table.addRow(row.placed.slice);
        setGroup(table, scope.by, row.group);
        addNoteRow(table, columns, scene, *row.mark, row.placed);
    }
    table.source.rows = "markers and notes";
    table.source.rules = {"markers of a report follow the report's clock; markers set on the axis follow UTC",
                          "a report is recognized by its clock and first timestamps, else by its file name, "
                          "else by its process"};
    table.source.filters = scope.description();
    const size_t count = marks.all().size();
    table.source.whenEmpty = count == 0
                                 ? "No markers are set. Workspace files store them."
                                 : "None of the markers (" + std::to_string(count) + ") matches the filters.";
    return table;
}

// Returns the analysis for the registry. Its table has no rows unless a list of markers is given.
Analysis notesAnalysis()
{
    return {"notes", kNotesTitle, "markers and notes stored in workspace files", {}, emptyNotes};
}

} // namespace lockstep
