#include "core/analysis/inventory.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kTitle = "Inputs";
constexpr std::string_view kRowsPrefix = "rows_";

void addColumns(Table& table)
{
    const auto text = [&](const char* name, const char* doc) {
        table.addColumn({name, "", ColumnType::text, 0, doc});
    };
    const auto count = [&](const char* name, const char* doc) {
        table.addColumn({name, "", ColumnType::integer, 0, doc});
    };
    text("input", "path as asked for");
    text("kind", "file format, by content");
    text("producer", "program and version that wrote it");
    text("schema", "version of the format, where it has one");
    text("host", "machine; empty where the file does not say");
    text("role", "role in the job; empty where unknown");
    text("rank", "position in the job; several where processes differ; empty where the file does not say");
    text("local_rank", "position on the host; empty where unknown");
    text("step", "training step; empty where unknown");
    text("device", "GPUs that work ran on");
    text("start_utc",
         "wall clock at the start of the session, or at the first row where no session is stated");
    table.addColumn(
        {"duration", "ns", ColumnType::time, 0, "length of the session, or from first to last row"});
    table.addColumn({"size", "B", ColumnType::bytes, 0, "size of the file"});
    count("slices", "rows kept as slices and instants");
    count("samples", "counter samples kept");
    count("links", "causes joined to effects, e.g. API calls to the kernels they launched");
    count("notes", "flaws met while reading, each counted once per row");
    count("data_loss", "of these, rows that are not shown");
    text("sha256", "digest of the file as stored");
    text("error", "why the input could not be opened");
}

// The distinct known values of all processes, or the report's own, joined by commas.
template<class Part>
std::string knownValues(const Report& report, Part part)
{
    std::set<std::remove_cvref_t<decltype(*part(report.identity).value)>> values;
    for (const Process& process : report.processes) {
        if (part(process.identity).isKnown()) values.insert(*part(process.identity).value);
    }
    if (values.empty() && part(report.identity).isKnown()) values.insert(*part(report.identity).value);
    std::string out;
    for (const auto& value : values) {
        out += out.empty() ? "" : ",";
        if constexpr (std::is_convertible_v<decltype(value), std::string_view>) {
            out += value;
        } else {
            out += std::to_string(value);
        }
    }
    return out;
}

// "2 x NVIDIA H100 80GB HBM3": devices with at least one track, by name.
std::string deviceNames(const Report& report)
{
    std::set<DeviceId> used;
    for (const Track& track : report.tracks) {
        if (track.key.device.isValid() && track.sliceCount > 0) used.insert(track.key.device);
    }
    std::map<std::string, int> counts;
    for (const DeviceId id : used) {
        const Device& device = report.devices[id.value];
        const std::string_view name = report.strings.at(device.name);
        ++counts[name.empty() ? "GPU " + std::to_string(device.ordinal) : std::string(name)];
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

// Fills the last row by column name, so that the order of columns stands in one place.
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

void fillReport(Table& table, const Report& report)
{
    RowFiller row(table);
    row.text("kind", report.provenance.kind);
    row.text("producer", report.provenance.producer);
    row.text("schema", report.provenance.schema);
    row.text("host", knownValues(
                         report, [](const Identity& i) -> const auto& { return i.host; }));
    row.text("role", knownValues(
                         report, [](const Identity& i) -> const auto& { return i.role; }));
    row.text("rank", knownValues(
                         report, [](const Identity& i) -> const auto& { return i.rank; }));
    row.text("local_rank", knownValues(
                               report, [](const Identity& i) -> const auto& { return i.localRank; }));
    row.text("step", knownValues(
                         report, [](const Identity& i) -> const auto& { return i.step; }));
    row.text("device", deviceNames(report));
    const TimeRange covered = report.session.isEmpty() ? report.extent : report.session;
    if (report.clock.utcAtZero_ns)
        row.text("start_utc", utcStampText(*report.clock.utcAtZero_ns + covered.begin.ns));
    row.number("duration", static_cast<uint64_t>(covered.length().ns));
    row.number("size", report.provenance.size_bytes);
    row.number("slices", report.slices.size());
    row.number("samples", report.counters.size());
    row.number("links", report.links.size());
    const NoteCounts notes = countNotes(report);
    row.number("notes", notes.all);
    row.number("data_loss", notes.lost);
    for (const auto& [kind, count] : report.rowCounts)
        row.number(std::string(kRowsPrefix) + kind, count);
}

// One column for each kind of row that any report holds, in the order in which they are met.
void addRowKindColumns(Table& table, const Workspace& workspace)
{
    for (const auto& report : workspace.reports()) {
        for (const auto& [kind, count] : report->rowCounts) {
            const std::string name = std::string(kRowsPrefix) + kind;
            if (table.columnNamed(name) < table.columnCount()) continue;
            table.addColumn({name, "", ColumnType::integer, 0, "rows of this kind in the file, kept or not"});
        }
    }
}

Result<Table> run(const AnalysisRequest& request, const Progress&)
{
    Table table{std::string(request.what), std::string(kTitle)};
    table.headerStyle = HeaderStyle::identifier;
    addColumns(table);
    addRowKindColumns(table, request.workspace);
    const auto addReport = [&](ReportId id, const std::filesystem::path& path, std::string_view sha256) {
        const Report& report = request.workspace.report(id);
        const auto inScope = [&](const Process& p) {
            return isInScope(request.scope,
                             identityOf(report, ProcessId(size_t(&p - report.processes.data()))));
        };
        if (!isInScope(request.scope, report.identity) && std::ranges::none_of(report.processes, inScope))
            return;
        table.addRow();
        fillReport(table, report);
        RowFiller(table).text("input", path.string());
        RowFiller(table).text("sha256", sha256);
    };
    for (const InputFile& input : request.inputs) {
        if (input.report.isValid()) {
            addReport(input.report, input.path, input.sha256);
            continue;
        }
        table.addRow();
        RowFiller row(table);
        row.text("input", input.path.string());
        row.text("sha256", input.sha256);
        if (input.size_bytes > 0) row.number("size", input.size_bytes);
        if (input.error) row.text("error", input.error->message);
    }
    if (request.inputs.empty()) {
        for (size_t i = 0; i < request.workspace.size(); ++i) {
            addReport(ReportId(i), request.workspace.report(ReportId(i)).provenance.path, "");
        }
    }
    table.source.rows = "reports and the inputs that failed";
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
    return {"inventory", kTitle, "files", {}, run};
}

} // namespace lockstep
