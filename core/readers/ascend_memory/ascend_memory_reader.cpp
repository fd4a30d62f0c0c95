// SPDX-License-Identifier: Apache-2.0
// Reader of the memory files of Ascend's PyTorch profiler (ASCEND_PROFILER_OUTPUT): operator_memory.csv, with
// one line per allocation (operator, size, lifetime), and memory_record.csv, with the totals of each
// component over time. Recognized by column names. Any thread.
#include "core/readers/registry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/readers/cut_stream.h"
#include "core/readers/identity/file_identity.h"
#include "core/trace/import_notes.h"
#include "core/trace/memory_history.h"
#include "core/trace/memory_levels.h"
#include "core/trace/report_builder.h"

namespace lockstep {

namespace {

// Reads operator_memory.csv: allocations of the NPU's caching allocator, each with its operator and lifetime.

// CsvLines iterates over comma-separated lines. The first line contains the column names. Cells may be
// quoted; blanks and tabs around a cell, which Ascend's profiler adds to prevent rounding in spreadsheets,
// are removed. Views are valid until the next line. One thread.
class CsvLines {
  public:
    explicit CsvLines(std::string_view text);

    // Returns the index of the column with this name, or nullopt.
    std::optional<size_t> column(std::string_view name) const;
    size_t columnCount() const { return m_names.size(); }
    // Advances to the next nonempty line. Returns false after the last line.
    bool next();
    // Returns a cell of the current line, or an empty string if the line is too short.
    std::string_view cell(size_t column) const
    {
        return column < m_cells.size() ? std::string_view(m_cells[column]) : std::string_view();
    }
    uint64_t line() const { return m_line; } // Returns the one-based number of the current line.
    // Returns true if the current line has fewer cells than the header line, or an unclosed quote.
    bool isBroken() const { return m_isOpen || m_cells.size() < m_names.size(); }
    // Returns true if the text ends within the current line.
    bool isCut() const { return m_isCut; }

  private:
    void split(std::string_view line);

    std::string_view m_rest;
    std::vector<std::string> m_names;
    std::vector<std::string> m_cells;
    uint64_t m_line = 0;
    bool m_isCut = false;
    bool m_isOpen = false; // true inside a quote
};

constexpr size_t kMaxCells = 256;

std::string_view withoutByteOrderMark(std::string_view text)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

CsvLines::CsvLines(std::string_view text) : m_rest(withoutByteOrderMark(text))
{
    if (next()) m_names = m_cells;
}

std::optional<size_t> CsvLines::column(std::string_view name) const
{
    const auto found = std::ranges::find(m_names, name);
    if (found == m_names.end()) return std::nullopt;
    return static_cast<size_t>(found - m_names.begin());
}

bool CsvLines::next()
{
    while (!m_rest.empty()) {
        const size_t end = std::min(m_rest.find('\n'), m_rest.size());
        const std::string_view line = m_rest.substr(0, end);
        m_isCut = end == m_rest.size();
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        ++m_line;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        split(line);
        return true;
    }
    return false;
}

// Splits a line into cells. A quote within quotes is written twice. Cells do not span several lines.
void CsvLines::split(std::string_view line)
{
    m_cells.clear();
    std::string cell;
    bool isQuoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            if (isQuoted && i + 1 < line.size() && line[i + 1] == '"') {
                cell += line[++i];
            } else {
                isQuoted = !isQuoted;
            }
        } else if (c == ',' && !isQuoted && m_cells.size() < kMaxCells) {
            m_cells.emplace_back(trimmed(cell, " \t\r"));
            cell.clear();
        } else {
            cell += c;
        }
    }
    m_cells.emplace_back(trimmed(cell, " \t\r"));
    m_isOpen = isQuoted;
}

// Counts the current line if it is broken, because the values of the missing cells are lost.
void noteBrokenLine(const CsvLines& lines, ImportNotes& notes)
{
    if (lines.isBroken())
        notes.add("memory.broken_line", NoteSeverity::dataLoss,
                  "lines with missing cells or an unclosed quote: the missing values are not shown",
                  "line " + std::to_string(lines.line()));
}

constexpr int64_t kKilobyte = 1024, kMegabyte = 1024 * 1024;
constexpr double kMaxBytes = 1e15;
constexpr uint64_t kOperatorsBetweenChecks = 4096;

// Parses a time cell. Returns nullopt for "N/A", empty cells and anything else that is not a number.
std::optional<int64_t> ascendTime_ns(std::string_view microseconds)
{
    const auto time_ns = nsFromMicrosecondText(microseconds);
    return time_ns && *time_ns > 0 ? time_ns : std::nullopt;
}

// Returns number * unit_bytes, rounded.
std::optional<int64_t> ascendSize_bytes(std::string_view number, int64_t unit_bytes)
{
    const auto value = parseDouble(number);
    if (!value || std::abs(*value) * static_cast<double>(unit_bytes) > kMaxBytes) return std::nullopt;
    return std::llround(*value * static_cast<double>(unit_bytes));
}

// Returns 0 for "NPU:0", or -1 if no number is given.
int32_t ascendOrdinal(std::string_view deviceType)
{
    const size_t colon = deviceType.rfind(':');
    const auto number =
        colon == std::string_view::npos ? std::nullopt : parseInt(deviceType.substr(colon + 1));
    return number && *number >= 0 && *number < 1'000'000 ? static_cast<int32_t>(*number) : -1;
}

class OperatorMemory {
  public:
    OperatorMemory(CsvLines& lines, ProcessId process, ReportBuilder& builder)
        : m_lines(lines), m_process(process), m_builder(builder), m_history(builder.report())
    {
    }

    Status run(const Progress& progress)
    {
        while (m_lines.next()) {
            if (m_lines.line() % kOperatorsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            noteBrokenLine(m_lines, m_builder.report().notes);
            addLine();
        }
        m_builder.report().rowCounts.emplace_back("allocation", m_count);
        addCounters();
        return m_history.finish(progress);
    }

  private:
    std::string_view cell(const std::optional<size_t>& column) const
    {
        return column ? m_lines.cell(*column) : std::string_view();
    }

    void addLine()
    {
        const auto size = ascendSize_bytes(m_lines.cell(*m_size), kKilobyte);
        const auto allocated = ascendTime_ns(cell(m_allocation)), released = ascendTime_ns(cell(m_release));
        auto freed = ascendTime_ns(cell(m_activeRelease));
        if (!freed) freed = released;
        if (!size || *size == 0 || (!allocated && !freed) || (allocated && freed && *freed < *allocated)) {
            m_builder.report().notes.add(
                "memory.bad_row", NoteSeverity::dataLoss,
                "allocations without a size or time, or released before they were allocated: skipped",
                "line " + std::to_string(m_lines.line()));
            return;
        }
        ++m_count;
        MemoryRow row;
        const int32_t ordinal = ascendOrdinal(cell(m_device));
        if (ordinal >= 0) m_builder.device(m_process, ordinal);
        row.subject =
            m_history.subject({MemoryRecorder::ascendProfiler, MemoryKind::device, ordinal, m_process});
        row.size_bytes = static_cast<uint64_t>(std::abs(*size));
        row.address = m_next;
        row.stream = static_cast<uint64_t>(parseInt(cell(m_stream)).value_or(0));
        const std::string_view name = m_lines.cell(*m_name);
        row.stack = m_history.stack({m_history.frame(m_builder.intern(name.empty() ? "unnamed" : name))});
        // the file has no addresses, so artificial addresses that never overlap are used
        m_next += row.size_bytes;
        addRows(row, allocated, released, freed);
        addSamples(row.subject, allocated, m_allocated, m_reserved);
        addSamples(row.subject, released, m_releasedAllocated, m_releasedReserved);
    }

    void addRows(MemoryRow row, std::optional<int64_t> allocated, std::optional<int64_t> released,
                 std::optional<int64_t> freed)
    {
        row.order = m_lines.line() * 4;
        if (allocated) {
            row.time_ns = *allocated;
            row.action = MemoryAction::alloc;
            m_history.add(row);
        }
        if (released && freed && *released < *freed && (!allocated || *released >= *allocated)) {
            row.time_ns = *released;
            row.action = MemoryAction::freeRequested;
            ++row.order;
            m_history.add(row);
        }
        if (!freed) return;
        row.time_ns = *freed;
        row.action = MemoryAction::freeCompleted;
        ++row.order;
        m_history.add(row);
    }

    void addSamples(uint32_t subject, std::optional<int64_t> time_ns, std::optional<size_t> allocated,
                    std::optional<size_t> reserved)
    {
        if (!time_ns) return;
        const auto add = [&](const char* name, std::optional<size_t> column) {
            const auto level = ascendSize_bytes(cell(column), kMegabyte);
            if (level) m_samples[{subject, name}].emplace_back(*time_ns, static_cast<double>(*level));
            return level;
        };
        add("Total Allocated", allocated);
        const auto reservedBytes = add("Total Reserved", reserved);
        if (!reservedBytes) return;
        MemoryRow row; // a total without a change
        row.time_ns = *time_ns;
        row.order = ~uint64_t(0);
        row.reserved_bytes = *reservedBytes;
        row.subject = subject;
        m_history.add(row);
    }

    void addCounters()
    {
        for (auto& [key, samples] : m_samples) {
            CounterTrack track;
            track.name = m_builder.intern(key.second);
            track.unit = m_builder.intern("B");
            track.process = m_process;
            m_builder.addSamples(m_builder.addCounterTrack(track), std::move(samples));
        }
    }

    using Column = std::optional<size_t>;
    CsvLines& m_lines;
    ProcessId m_process;
    ReportBuilder& m_builder;
    MemoryHistory m_history;
    const Column m_name = m_lines.column("Name"), m_size = m_lines.column("Size(KB)"),
                 m_allocation = m_lines.column("Allocation Time(us)"),
                 m_release = m_lines.column("Release Time(us)"),
                 m_activeRelease = m_lines.column("Active Release Time(us)"),
                 m_allocated = m_lines.column("Allocation Total Allocated(MB)"),
                 m_reserved = m_lines.column("Allocation Total Reserved(MB)"),
                 m_releasedAllocated = m_lines.column("Release Total Allocated(MB)"),
                 m_releasedReserved = m_lines.column("Release Total Reserved(MB)"),
                 m_stream = m_lines.column("Stream Ptr"), m_device = m_lines.column("Device Type");
    std::map<std::pair<uint32_t, std::string>, std::vector<std::pair<int64_t, double>>> m_samples;
    uint64_t m_next = 1;
    uint64_t m_count = 0;
};

// Adds memory blocks, and counters of the recorded totals, to the report. A block without an allocation time
// existed before the recording, and one without a release time remains until the end of the recording. Lines
// with neither are counted and omitted. Sizes are rounded to KB in the file. The only possible error is
// ErrorKind::canceled.
Status fillFromOperators(CsvLines& lines, ProcessId process, ReportBuilder& builder, const Progress& progress)
{
    return OperatorMemory(lines, process, builder).run(progress);
}

constexpr uint64_t kLinesBetweenChecks = 4096;

struct ComponentTotal {
    int64_t time_ns = 0;
    int64_t allocated_bytes = 0;
    int64_t reserved_bytes = kNotRecorded;
};

using ComponentKey = std::pair<int32_t, std::string>; // (ordinal, component)

// Returns true for components that include other components. If they were shown as areas, their memory would
// count twice.
bool isSum(const std::string& component)
{
    return component.find('+') != std::string::npos || component == "APP";
}

void addTotals(const std::map<ComponentKey, std::vector<ComponentTotal>>& all, ProcessId process,
               ReportBuilder& builder)
{
    for (const auto& [key, totals] : all) {
        CounterTrack track;
        track.process = process;
        track.unit = builder.intern("B");
        std::vector<std::pair<int64_t, double>> allocated, reserved;
        for (const ComponentTotal& total : totals) {
            allocated.emplace_back(total.time_ns, static_cast<double>(total.allocated_bytes));
            if (total.reserved_bytes != kNotRecorded)
                reserved.emplace_back(total.time_ns, static_cast<double>(total.reserved_bytes));
        }
        track.name = builder.intern(key.second + " Total Allocated");
        builder.addSamples(builder.addCounterTrack(track), std::move(allocated));
        if (reserved.empty()) continue;
        track.name = builder.intern(key.second + " Total Reserved");
        builder.addSamples(builder.addCounterTrack(track), std::move(reserved));
    }
}

// Adds areas. Totals with the same timestamp change one after another. The reserved memory is PTA's total, or
// the first total recorded.
void addComponentAreas(std::map<ComponentKey, std::vector<ComponentTotal>>& all, ProcessId process,
                       ReportBuilder& builder, MemoryHistory& history)
{
    MemoryLevelHistory levels(history, builder.report());
    for (auto& [key, totals] : all) {
        const auto& [ordinal, component] = key;
        if (isSum(component)) {
            builder.report().notes.add(
                "memory.component_sum", NoteSeverity::info,
                "the total of this component includes other components: shown as a counter, not as an area",
                component);
            continue;
        }
        const bool usesReserved = component == "PTA" || !all.contains({ordinal, "PTA"});
        if (ordinal >= 0) builder.device(process, ordinal);
        const uint32_t subject =
            history.subject({MemoryRecorder::components, MemoryKind::device, ordinal, process});
        const size_t group = levels.group(subject, builder.intern(component + " (component)"));
        for (const ComponentTotal& total : totals) {
            if (usesReserved) levels.setReserved(group, total.reserved_bytes);
            levels.set(group, total.time_ns, total.allocated_bytes);
        }
    }
}

// Reads memory_record.csv, which contains the totals of components over time, but no allocations (PTA:
// PyTorch's allocator on the NPU, GE: the graph engine, APP: the whole process as seen by the driver). Adds
// the memory of each component as an area, and a counter for each total, to the report. PTA+GE (a sum)
// and APP (which includes the others) become counters only, because as areas they would count twice. The only
// possible error is ErrorKind::canceled.
Status fillFromComponents(CsvLines& lines, ProcessId process, ReportBuilder& builder,
                          const Progress& progress)
{
    const auto component = lines.column("Component"), time = lines.column("Timestamp(us)"),
               allocated = lines.column("Total Allocated(MB)"), reserved = lines.column("Total Reserved(MB)"),
               device = lines.column("Device Type");
    std::map<ComponentKey, std::vector<ComponentTotal>> all;
    uint64_t count = 0;
    while (lines.next()) {
        if (lines.line() % kLinesBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        noteBrokenLine(lines, builder.report().notes);
        const auto time_ns = ascendTime_ns(lines.cell(*time));
        const auto level = allocated ? ascendSize_bytes(lines.cell(*allocated), kMegabyte) : std::nullopt;
        const auto reservedBytes =
            reserved ? ascendSize_bytes(lines.cell(*reserved), kMegabyte) : std::nullopt;
        if (!time_ns || (!level && !reservedBytes)) {
            builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                       "rows without a required field: skipped",
                                       "line " + std::to_string(lines.line()));
            continue;
        }
        ++count;
        const int32_t ordinal = device ? ascendOrdinal(lines.cell(*device)) : -1;
        all[{ordinal, std::string(lines.cell(*component))}].push_back(
            {*time_ns, level.value_or(0), reservedBytes.value_or(kNotRecorded)});
    }
    for (auto& [key, totals] : all)
        std::ranges::stable_sort(totals, {}, &ComponentTotal::time_ns);
    builder.report().rowCounts.emplace_back("total", count);
    MemoryHistory history(builder.report());
    addComponentAreas(all, process, builder, history);
    addTotals(all, process, builder);
    return history.finish(progress);
}

bool isOperatorMemory(std::string_view text)
{
    return withoutByteOrderMark(text).starts_with("Name,Size(KB),Allocation Time(us)");
}

bool isComponentMemory(std::string_view text)
{
    return withoutByteOrderMark(text).starts_with("Component,Timestamp(us),Total Allocated(MB)");
}

bool isAscendMemoryFile(const FileSniff& file)
{
    return isOperatorMemory(file.text) || isComponentMemory(file.text);
}

// Reads text in memory. provenance.path is the file name in errors and provides the device or rank.
Result<std::unique_ptr<Report>> readAscendMemory(std::string_view text, const Provenance& provenance,
                                                 const Progress& progress)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = provenance;
    report.provenance.kind = "ascend memory";
    report.provenance.producer = "Ascend PyTorch Profiler";
    report.clock = {"Unix epoch (Ascend)", 0, 1, std::nullopt, "Allocation Time(us), Timestamp(us)"};
    const int64_t pid = identityFromPath(provenance.path).pid.value.value_or(0);
    const ProcessId process = builder.process(static_cast<uint64_t>(pid), pid);
    CsvLines lines(text);
    if (isOperatorMemory(text)) {
        LOCKSTEP_TRY(fillFromOperators(lines, process, builder, progress));
    } else {
        LOCKSTEP_TRY(fillFromComponents(lines, process, builder, progress));
    }
    if (lines.isCut() && text.back() != '\n') {
        report.notes.add("file.truncated", NoteSeverity::warning,
                         "the last line of the file has no line break and may be incomplete",
                         "line " + std::to_string(lines.line()));
    }
    return builder.freeze(progress);
}

Result<std::unique_ptr<Report>> readAscendMemoryFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    Provenance provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    if (file.text == file.head) return readAscendMemory(mapped.text(), provenance, progress);
    const Inflated unpacked =
        LOCKSTEP_TRY(uncompressed(mapped.text(), unpackLimit_bytes(mapped.size()), progress));
    auto report = LOCKSTEP_TRY(readAscendMemory(unpacked.bytes, provenance, progress));
    if (!unpacked.isComplete) noteCutStream(report->notes, unpacked.bytes.size());
    return report;
}

// Memory files have no slices.
Result<SliceDetails> ascendMemoryDetails(const Report&, SliceId)
{
    return makeError(ErrorKind::notFound, "a memory file has no slices");
}

} // namespace

Reader ascendMemoryReader()
{
    return {.format = formatNamed("ascend memory"),
            .title = "Ascend memory CSV files",
            .memory_tenths = 20,
            .recognizes = isAscendMemoryFile,
            .read = readAscendMemoryFile,
            .details = ascendMemoryDetails};
}

} // namespace lockstep
