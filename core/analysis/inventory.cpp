// SPDX-License-Identifier: Apache-2.0
// The `inventory` analysis: one row per input, whether opened or failed. Lists its format, identity and time
// range, the number of rows of each kind in the file (Report::rowCounts), and the number of rows that are not
// shown.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/analysis/table_columns.h"
#include "core/base/text.h"
#include "core/trace/identity.h"

namespace lockstep {

namespace {

constexpr AnalysisArgument kNotesArgument{"notes", "one row per kind of problem and input"};
constexpr size_t kMaxValues = 16; // maximum number of values that a cell lists for one part

// Returns "2025-08-04T16:29:32.242076786Z" for a Unix-epoch timestamp.
std::string utcStampText(int64_t epoch_ns)
{
    std::string time = utcTimeText(epoch_ns);
    std::erase_if(time, [](char c) { return c != ':' && c != '.' && (c < '0' || c > '9'); });
    return utcDateText(epoch_ns) + "T" + time + "Z";
}

struct PartColumn {
    const char* part;
    const char* doc;
};
// The parts of an identity, by the names in visitParts().
constexpr std::array<PartColumn, 13> kInventoryParts{
    {{"run", "run of the job; empty if unknown"},
     {"host", "host name; empty if not in the file"},
     {"role", "role in the job; empty if unknown"},
     {"rank", "rank in the job; several if processes differ; empty if not in the file"},
     {"local_rank", "local rank on the host; empty if unknown"},
     {"world_size", "number of ranks in the job; empty if unknown"},
     {"step", "training step; empty if unknown"},
     {"stage", "captured part of the step; empty if unknown"},
     {"tool", "profiler that recorded the report; empty if unknown"},
     {"capture_index", "n-th capture of its process (one-based); not a step"},
     {"replica", "rollout engine (zero-based); empty if unknown"},
     {"replica_rank", "rank in the rollout engine; empty if unknown"},
     {"pid", "process ID on its host; empty if unknown"}}};

// Returns the distinct values of one part over the processes in a report, or the report's own value, joined
// by commas and with their sources.
struct PartTexts {
    std::string values;
    std::string from;
};

// One input, or one process of an input. Members that are unset or empty are unknown.
struct InventoryRow {
    SliceRef longest; // never set
    std::string input, process, kind, producer, schema;
    std::array<PartTexts, kInventoryParts.size()> parts;
    std::string device, start;
    std::optional<int64_t> duration_ns;
    std::optional<uint64_t> size_bytes, slices, samples, links, notes, lost;
    std::string noteList, file, sha256, error, sameAs;
    std::span<const std::pair<std::string, uint64_t>> rowCounts; // a view of the report's counts
};

// An invalid process stands for all processes.
PartTexts textsOf(const Workspace& workspace, ReportKey id, ProcessId only, std::string_view part)
{
    std::vector<std::pair<std::string, std::string>> known; // value and source
    const auto take = [&](const Identity& identity) {
        std::string value = partText(identity, part);
        if (value.empty() || known.size() > kMaxValues) return;
        if (std::ranges::find(known, value, &std::pair<std::string, std::string>::first) != known.end())
            return;
        known.emplace_back(std::move(value), std::string(partSource(identity, part)) + " (" +
                                                 std::string(confidenceName(partConfidence(identity, part))) +
                                                 ")");
    };
    const std::vector<Process>& processes = workspace.report(id).processes;
    for (size_t p = 0; p < processes.size(); ++p) {
        const bool isWanted = only.isValid() ? only == ProcessId(p) : processes[p].pid >= 0;
        if (isWanted) take(workspace.identity(id, ProcessId(p)));
    }
    if (known.empty()) take(workspace.identity(id));
    std::ranges::sort(known, [](const auto& a, const auto& b) {
        return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
    PartTexts out;
    for (size_t i = 0; i < known.size(); ++i) {
        out.values += (i == 0 ? "" : ",") + (i < kMaxValues ? known[i].first : "...");
        const bool isNew = out.from.find(known[i].second) == std::string::npos;
        if (isNew) out.from += (out.from.empty() ? "" : "; ") + known[i].second;
    }
    return out;
}

// Returns "2 x NVIDIA H100 80GB HBM3": devices with at least one track, by name.
std::string deviceNames(const Report& report, ProcessId only)
{
    std::set<DeviceId> used;
    for (const Track& track : report.tracks) {
        const bool isWanted = !only.isValid() || track.key.process == only;
        if (isWanted && track.key.device.isValid() && track.sliceCount > 0) used.insert(track.key.device);
    }
    std::map<std::string, int> counts;
    for (const DeviceId id : used) {
        const Device& device = report.devices[id.value];
        const std::string_view name = report.strings.at(device.name);
        const std::string number = "GPU " + std::to_string(device.ordinal);
        if (only.isValid() && !name.empty()) {
            ++counts[number + " " +
                     std::string(name)]; // if the row is a single process, the ordinal identifies the device
        } else {
            ++counts[name.empty() ? number : std::string(name)];
        }
    }
    std::string out;
    for (const auto& [name, count] : counts) {
        out += out.empty() ? "" : ", ";
        out += count == 1 ? name : std::to_string(count) + " x " + name;
    }
    return out;
}

struct NoteCounts {
    uint64_t all = 0;
    uint64_t lost = 0;
};

NoteCounts countNotes(const Report& report)
{
    NoteCounts counts;
    for (const ImportNote& note : report.notes.all()) {
        counts.all += note.count;
        if (note.severity == NoteSeverity::dataLoss) counts.lost += note.count;
    }
    return counts;
}

// Returns "dataLoss nvtx.end_before_start x12 (NVTX_EVENTS row 17); ..."
std::string noteList(const Report& report)
{
    std::string out;
    for (const ImportNote& note : report.notes.all()) {
        out += (out.empty() ? "" : "; ") + std::string(noteSeverityName(note.severity)) + " " + note.kind +
               " x" + std::to_string(note.count);
        if (!note.example.empty()) out += " (" + note.example + ")";
    }
    return out;
}

uint64_t sliceCount(const Report& report, ProcessId only)
{
    if (!only.isValid()) return report.slices.size();
    uint64_t count = 0;
    for (const Track& track : report.tracks)
        count += track.key.process == only ? track.sliceCount : 0;
    return count;
}

void fillReport(InventoryRow& row, const Workspace& workspace, ReportKey id, ProcessId only)
{
    const Report& report = workspace.report(id);
    if (only.isValid()) row.process = report.strings.at(report.processes[only.value].name);
    row.kind = report.provenance.kind;
    row.producer = report.provenance.producer;
    row.schema = report.provenance.schema;
    for (size_t i = 0; i < kInventoryParts.size(); ++i)
        row.parts[i] = textsOf(workspace, id, only, kInventoryParts[i].part);
    row.device = deviceNames(report, only);
    const TimeRange covered = report.session.isEmpty() ? report.extent : report.session;
    if (report.clock.utcAtZero_ns) row.start = utcStampText(*report.clock.utcAtZero_ns + covered.begin.ns);
    row.duration_ns = covered.length().ns;
    row.size_bytes = report.provenance.size_bytes;
    row.slices = sliceCount(report, only);
    row.samples = report.counters.size();
    row.links = report.links.size();
    const NoteCounts notes = countNotes(report);
    row.notes = notes.all;
    row.lost = notes.lost;
    row.noteList = noteList(report);
    row.rowCounts = report.rowCounts;
}

// Adds one column for each kind of row in any report, in order of first occurrence.
void addRowKinds(TableColumns<InventoryRow>& columns, const Workspace& workspace)
{
    std::set<std::string> known;
    for (const ReportKey key : workspace.keys()) {
        for (const auto& [kind, count] : workspace.report(key).rowCounts) {
            if (!known.insert(kind).second) continue;
            columns.count(
                [kind = kind](const InventoryRow& row) {
                    const auto found =
                        std::ranges::find(row.rowCounts, kind, &std::pair<std::string, uint64_t>::first);
                    return found != row.rowCounts.end() ? std::optional(found->second) : std::nullopt;
                },
                "rows_" + kind, "rows of this kind in the file, imported or not");
        }
    }
}

TableColumns<InventoryRow> inventoryColumns(const AnalysisRequest& request)
{
    using Row = InventoryRow;
    TableColumns<Row> columns(HeaderStyle::identifier);
    columns.report(&Row::input, "input", "path as given");
    if (request.scope.by == GroupBy::process)
        columns.text(&Row::process, "process", "name of the process in this row");
    columns.text(&Row::kind, "kind", "file format, detected from the content")
        .text(&Row::producer, "producer", "program and version that wrote the file")
        .text(&Row::schema, "schema", "format version, if any");
    for (size_t i = 0; i < kInventoryParts.size(); ++i) {
        const auto& [part, doc] = kInventoryParts[i];
        columns.text([i](const Row& row) { return row.parts[i].values; }, part, doc)
            .text([i](const Row& row) { return row.parts[i].from; }, part + std::string("_from"),
                  "source of the value and its confidence: guessed, stated, confirmed");
    }
    columns.text(&Row::device, "device", "GPUs with recorded work")
        .text(&Row::start, "start_utc",
              "wall clock at the start of the session, or at the first row if no session is recorded")
        .time(&Row::duration_ns, "duration", "duration of the session, or from first to last row")
        .add(&Row::size_bytes, {"size", "B", ColumnType::bytes, 0, "size of the file"})
        .summed()
        .count(&Row::slices, "slices", "number of slices and instants")
        .summed()
        .count(&Row::samples, "samples", "number of counter samples")
        .summed()
        .count(&Row::links, "links",
               "links from causes to effects, such as API calls to the kernels they launched")
        .summed()
        .count(&Row::notes, "notes", "problems found while reading, each counted once per row")
        .summed()
        .count(&Row::lost, "data_loss", "rows with problems that are not shown")
        .summed()
        .text(&Row::noteList, "note_list",
              "problems: severity, kind, count, first location; inventory:notes has one row for each")
        .text(&Row::file, "file", "the report's own path, if the input is a workspace that contains it")
        .text(&Row::sha256, "sha256", "digest of the file as stored")
        .text(&Row::error, "error", "why the input could not be opened")
        .text(&Row::sameAs, "same_as",
              "reports with the same work; this input was left out to avoid counting the work twice");
    addRowKinds(columns, request.workspace);
    return columns;
}

bool isReportInScope(const AnalysisRequest& request, ReportKey id)
{
    const size_t processes = request.workspace.report(id).processes.size();
    if (isInScope(request.scope, request.workspace, id, ProcessId())) return true;
    for (size_t p = 0; p < processes; ++p) {
        if (isInScope(request.scope, request.workspace, id, ProcessId(p))) return true;
    }
    return false;
}

// Calls visit(input) for each input in scope and each failed input, or for each report if there are no
// inputs.
template<class Visit>
void visitInputs(const AnalysisRequest& request, const Visit& visit)
{
    for (const InputFile& input : request.inputs) {
        if (!input.report.isValid() || isReportInScope(request, input.report)) visit(input);
    }
    if (!request.inputs.empty()) return;
    for (const ReportKey key : request.workspace.keys()) {
        InputFile input;
        input.path = request.workspace.report(key).provenance.path;
        input.report = key;
        if (isReportInScope(request, input.report)) visit(input);
    }
}

// One kind of problem in one report.
struct InputNoteRow {
    SliceRef longest; // never set
    std::string input;
    const ImportNote* note = nullptr;
};

Table noteTable(const AnalysisRequest& request)
{
    using Row = InputNoteRow;
    AnalysisRows<Row> made;
    visitInputs(request, [&](const InputFile& input) {
        if (!input.report.isValid()) return;
        for (const ImportNote& note : request.workspace.report(input.report).notes.all())
            made.rows.push_back({{}, input.path.string(), &note});
    });
    made.source.rows = "import notes of reports";
    const auto of = [](auto member) { return [member](const Row& row) { return row.note->*member; }; };
    TableColumns<Row> columns(HeaderStyle::identifier);
    columns.report(&Row::input, "input", "path as given")
        .text([](const Row& row) { return noteSeverityName(row.note->severity); }, "severity",
              "info, warning, data loss")
        .means(ColumnMeaning::severity)
        .text(of(&ImportNote::kind), "note", "kind of problem, a stable identifier")
        .count(of(&ImportNote::count), "count", "affected rows")
        .summed()
        .text(of(&ImportNote::example), "example", "first location: table and row, or byte offset")
        .text(of(&ImportNote::text), "text", "meaning, and how Lockstep handled it");
    return columns.table(request.what, "Import notes", std::move(made));
}

// Returns the processes with rows in a report in scope. Returns a single invalid process, which stands for
// all of them, unless rows are grouped by process and the report has processes.
std::vector<ProcessId> processesOf(const AnalysisRequest& request, ReportKey id)
{
    std::vector<ProcessId> rows;
    const Report& report = request.workspace.report(id);
    for (size_t p = 0; request.scope.by == GroupBy::process && p < report.processes.size(); ++p) {
        const ProcessId process(p);
        const bool hasRows = sliceCount(report, process) > 0 && report.processes[p].pid >= 0;
        if (hasRows && isInScope(request.scope, request.workspace, id, process)) rows.push_back(process);
    }
    if (rows.empty()) rows.emplace_back();
    return rows;
}

Result<Table> inventoryTable(const AnalysisRequest& request, const Progress&)
{
    if (request.arguments.flag(kNotesArgument.name)) return noteTable(request);
    AnalysisRows<InventoryRow> made;
    const auto addRow = [&](const InputFile& input, ProcessId process) {
        InventoryRow& row = made.rows.emplace_back();
        row.input = input.path.string();
        row.sha256 = input.sha256;
        if (!input.report.isValid()) {
            if (input.size_bytes > 0) row.size_bytes = input.size_bytes;
            if (input.error) row.error = input.error->message;
            row.sameAs = input.sameAs;
            return;
        }
        fillReport(row, request.workspace, input.report, process);
        const std::string own = request.workspace.report(input.report).provenance.path.string();
        if (own != row.input) row.file = own;
    };
    visitInputs(request, [&](const InputFile& input) {
        if (!input.report.isValid()) return addRow(input, ProcessId());
        for (const ProcessId process : processesOf(request, input.report))
            addRow(input, process);
    });
    made.source.rows = "reports, and inputs that failed or were left out as duplicates";
    return inventoryColumns(request).table(request.what, "Inputs", std::move(made));
}

} // namespace

Analysis inventoryAnalysis()
{
    return {"inventory", "Inputs", "files", {&kNotesArgument, 1}, inventoryTable};
}

} // namespace lockstep
