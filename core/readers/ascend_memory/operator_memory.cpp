// SPDX-License-Identifier: Apache-2.0
#include "core/readers/ascend_memory/operator_memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/memory_history.h"

namespace lockstep {

namespace {

constexpr size_t kMaxCells = 256;

} // namespace

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

void noteBrokenLine(const CsvLines& lines, ImportNotes& notes)
{
    if (lines.isBroken())
        notes.add("memory.broken_line", NoteSeverity::dataLoss,
                  "lines with missing cells or an unclosed quote: the missing values are not shown",
                  "line " + std::to_string(lines.line()));
}

namespace {

constexpr int64_t kKilobyte = 1024, kMegabyte = 1024 * 1024;
constexpr double kMaxBytes = 1e15;
constexpr uint64_t kOperatorsBetweenChecks = 4096;

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

} // namespace

std::optional<int64_t> ascendTime_ns(std::string_view microseconds)
{
    const auto time_ns = nsFromMicrosecondText(microseconds);
    return time_ns && *time_ns > 0 ? time_ns : std::nullopt;
}

std::optional<int64_t> ascendSize_bytes(std::string_view number, int64_t unit_bytes)
{
    const auto value = parseDouble(number);
    if (!value || std::abs(*value) * static_cast<double>(unit_bytes) > kMaxBytes) return std::nullopt;
    return std::llround(*value * static_cast<double>(unit_bytes));
}

int32_t ascendOrdinal(std::string_view deviceType)
{
    const size_t colon = deviceType.rfind(':');
    const auto number =
        colon == std::string_view::npos ? std::nullopt : parseInt(deviceType.substr(colon + 1));
    return number && *number >= 0 && *number < 1'000'000 ? static_cast<int32_t>(*number) : -1;
}

Status fillFromOperators(CsvLines& lines, ProcessId process, ReportBuilder& builder, const Progress& progress)
{
    return OperatorMemory(lines, process, builder).run(progress);
}

} // namespace lockstep
