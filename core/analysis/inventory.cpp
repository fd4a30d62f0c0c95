// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/inventory.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/trace/identity_parts.h"

namespace lockstep {

namespace {

constexpr std::string_view kInventoryTitle = "Inputs";
constexpr std::string_view kRowsPrefix = "rows_";
constexpr AnalysisArgument kNotesArgument{"notes", "one row per kind of problem and input"};
constexpr size_t kMaxValues = 16; // maximum number of values that a cell lists for one part

struct PartColumn {
    const char* part;
    const char* doc;
};
// The parts of an identity, by the names in visitParts().
constexpr std::array<PartColumn, 13> kParts{
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

// "rank_from"
std::string fromName(std::string_view part)
{
    return std::string(part) + "_from";
}

void addColumns(Table& table, GroupBy by)
{
    const auto text = [&](const char* name, const char* doc) {
        table.addColumn({name, "", ColumnType::text, 0, doc});
    };
    const auto count = [&](const char* name, const char* doc) {
        table.addColumn({name, "", ColumnType::integer, 0, doc});
    };
    text("input", "path as given");
    if (by == GroupBy::process) text("process", "name of the process in this row");
    text("kind", "file format, detected from the content");
    text("producer", "program and version that wrote the file");
    text("schema", "format version, if any");
    for (const auto& [part, doc] : kParts) {
        text(part, doc);
        text(fromName(part).c_str(), "source of the value and its confidence: guessed, stated, confirmed");
    }
    text("device", "GPUs with recorded work");
    text("start_utc",
         "wall clock at the start of the session, or at the first row if no session is recorded");
    table.addColumn(
        {"duration", "ns", ColumnType::time, 0, "duration of the session, or from first to last row"});
    table.addColumn({"size", "B", ColumnType::bytes, 0, "size of the file"});
    count("slices", "number of slices and instants");
    count("samples", "number of counter samples");
    count("links", "links from causes to effects, such as API calls to the kernels they launched");
    count("notes", "problems found while reading, each counted once per row");
    count("data_loss", "rows with problems that are not shown");
    text("note_list",
         "problems: severity, kind, count, first location; inventory:notes has one row for each");
    table.markSums({"size", "slices", "samples", "links", "notes", "data_loss"});
    text("file", "the report's own path, if the input is a workspace that contains it");
    text("sha256", "digest of the file as stored");
    text("error", "why the input could not be opened");
    text("same_as", "reports with the same work; this input was left out to avoid counting the work twice");
}

// Returns the distinct values of one part over the processes in a report, or the report's own value, joined
// by commas and with their sources.
struct PartTexts {
    std::string values;
    std::string from;
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

// Fills the last row by column name, so that the order of columns is defined in only one place.
class RowFiller {
  public:
    explicit RowFiller(Table& table) : m_table(table) {}
    void text(std::string_view column, std::string_view value)
    {
        m_table.setText(m_table.columnNamed(column), value);
    }
    void number(std::string_view column, uint64_t value)
    {
        m_table.setNumber(m_table.columnNamed(column), static_cast<int64_t>(value));
    }

  private:
    Table& m_table;
};

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

void fillReport(Table& table, const Workspace& workspace, ReportKey id, ProcessId only)
{
    const Report& report = workspace.report(id);
    RowFiller row(table);
    if (only.isValid()) row.text("process", report.strings.at(report.processes[only.value].name));
    row.text("kind", report.provenance.kind);
    row.text("producer", report.provenance.producer);
    row.text("schema", report.provenance.schema);
    for (const PartColumn& column : kParts) {
        const PartTexts texts = textsOf(workspace, id, only, column.part);
        row.text(column.part, texts.values);
        row.text(fromName(column.part), texts.from);
    }
    row.text("device", deviceNames(report, only));
    const TimeRange covered = report.session.isEmpty() ? report.extent : report.session;
    if (report.clock.utcAtZero_ns)
        row.text("start_utc", utcStampText(*report.clock.utcAtZero_ns + covered.begin.ns));
    row.number("duration", static_cast<uint64_t>(covered.length().ns));
    row.number("size", report.provenance.size_bytes);
    row.number("slices", sliceCount(report, only));
    row.number("samples", report.counters.size());
    row.number("links", report.links.size());
    const NoteCounts notes = countNotes(report);
    row.number("notes", notes.all);
    row.number("data_loss", notes.lost);
    row.text("note_list", noteList(report));
    for (const auto& [kind, count] : report.rowCounts)
        row.number(std::string(kRowsPrefix) + kind, count);
}

// Adds one column for each kind of row in any report, in order of first occurrence.
void addRowKindColumns(Table& table, const Workspace& workspace)
{
    for (const ReportKey key : workspace.keys()) {
        for (const auto& [kind, count] : workspace.report(key).rowCounts) {
            const std::string name = std::string(kRowsPrefix) + kind;
            if (table.columnNamed(name) < table.columnCount()) continue;
            table.addColumn(
                {name, "", ColumnType::integer, 0, "rows of this kind in the file, imported or not"});
        }
    }
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

// The table has one row per kind of problem and report.
Table noteTable(const AnalysisRequest& request)
{
    Table table{std::string(request.what), "Import notes"};
    table.headerStyle = HeaderStyle::identifier;
    table.addColumn({"input", "", ColumnType::text, 0, "path as given"});
    table.addColumn({"severity", "", ColumnType::text, 0, "info, warning, data loss"});
    table.addColumn({"note", "", ColumnType::text, 0, "kind of problem, a stable identifier"});
    table.addColumn({"count", "", ColumnType::integer, 0, "affected rows"});
    table.addColumn({"example", "", ColumnType::text, 0, "first location: table and row, or byte offset"});
    table.addColumn({"text", "", ColumnType::text, 0, "meaning, and how Lockstep handled it"});
    table.markSums({"count"});
    visitInputs(request, [&](const InputFile& input) {
        if (!input.report.isValid()) return;
        for (const ImportNote& note : request.workspace.report(input.report).notes.all()) {
            table.addRow();
            RowFiller row(table);
            row.text("input", input.path.string());
            row.text("severity", noteSeverityName(note.severity));
            row.text("note", note.kind);
            row.number("count", note.count);
            row.text("example", note.example);
            row.text("text", note.text);
        }
    });
    table.source.rows = "import notes of reports";
    return table;
}

// Returns the processes with rows in a report in scope. Returns a single invalid process, which stands for
// all of them, unless rows are grouped by process and the report has processes.
std::vector<ProcessId> rowsOf(const AnalysisRequest& request, ReportKey id)
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

Result<Table> inventoryRows(const AnalysisRequest& request, const Progress&)
{
    if (request.arguments.flag(kNotesArgument.name)) return noteTable(request);
    Table table{std::string(request.what), std::string(kInventoryTitle)};
    table.headerStyle = HeaderStyle::identifier;
    addColumns(table, request.scope.by);
    addRowKindColumns(table, request.workspace);
    const auto addRow = [&](const InputFile& input, ProcessId process) {
        table.addRow();
        RowFiller row(table);
        row.text("input", input.path.string());
        row.text("sha256", input.sha256);
        if (!input.report.isValid()) {
            if (input.size_bytes > 0) row.number("size", input.size_bytes);
            if (input.error) row.text("error", input.error->message);
            row.text("same_as", input.sameAs);
            return;
        }
        fillReport(table, request.workspace, input.report, process);
        const std::string own = request.workspace.report(input.report).provenance.path.string();
        if (own != input.path.string()) row.text("file", own);
    };
    visitInputs(request, [&](const InputFile& input) {
        if (!input.report.isValid()) return addRow(input, ProcessId());
        for (const ProcessId process : rowsOf(request, input.report))
            addRow(input, process);
    });
    table.source.rows = "reports, and inputs that failed or were left out as duplicates";
    return table;
}

} // namespace

std::string utcStampText(int64_t epoch_ns)
{
    std::string time = utcTimeText(epoch_ns);
    std::erase_if(time, [](char c) { return c != ':' && c != '.' && (c < '0' || c > '9'); });
    return utcDateText(epoch_ns) + "T" + time + "Z";
}

Analysis inventoryAnalysis()
{
    return {"inventory", kInventoryTitle, "files", {&kNotesArgument, 1}, inventoryRows};
}

} // namespace lockstep
