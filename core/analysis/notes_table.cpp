// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/notes_table.h"

#include <algorithm>

#include "core/analysis/summary.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kNotesTitle = "Marks and notes of a workspace";

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
        id = count("id", "number of the mark in its workspace");
        kind = text("kind", "time, range, slice or area");
        utc = text("time_utc", "where it begins, UTC; empty where the axis has none or it cannot be placed");
        start = time("start", "where it begins on the aligned axis; empty where it cannot be placed");
        duration = time("duration", "its length; 0 for a time; empty where it cannot be placed");
        clock =
            time("report_clock", "where it begins on its report's own clock; empty where set on the axis");
        report = text("report", "file name of the report it was set in; empty where set on the axis");
        rank = count("rank", "position in the job; empty where unknown");
        lane = text("lane", "the lane it was set in, as it was called then");
        name = text("name", "of a slice: its name");
        note = text("text", "what was written; empty for a mark without words");
        found = text("found", "yes, or how else it was placed, or why it was not");
        made = text("made_utc", "when it was set, UTC");
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
    // No mark says of which device or stream it is.
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
    table.setText(columns.found, markPlacingName(placed.placing));
    if (mark.madeAt_utc_ns != 0) table.setText(columns.made, stampText(mark.madeAt_utc_ns));
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
    table.source.rows = "marks and notes";
    table.source.rules = {
        "a mark of a report is where its report's clock puts it; one that was set on the axis goes by UTC",
        "a report is known again by its clock and first stamps, else by its file's name, else by its process"};
    table.source.filters = scope.description();
    const size_t count = marks.all().size();
    table.source.whenEmpty =
        count == 0 ? "No marks or notes are set. Workspace files store them."
                   : "None of the marks and notes (" + std::to_string(count) + ") matches the filters.";
    return table;
}

Analysis notesAnalysis()
{
    return {"notes", kNotesTitle, "marks and notes, which workspace files keep", {}, emptyNotes};
}

} // namespace lockstep
