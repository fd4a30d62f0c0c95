// SPDX-License-Identifier: Apache-2.0
// Reader of the memory files of Ascend's PyTorch profiler (ASCEND_PROFILER_OUTPUT): operator_memory.csv, with
// one line per allocation (operator, size, lifetime), and memory_record.csv, with the totals of each
// component over time. Recognized by column names. Any thread.
#include "core/readers/registry.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/readers/ascend_memory/operator_memory.h"
#include "core/readers/cut_stream.h"
#include "core/readers/identity/file_identity.h"
#include "core/trace/memory_levels.h"

namespace lockstep {

namespace {

constexpr int64_t kMegabyte_bytes = 1024 * 1024;
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
        const auto level =
            allocated ? ascendSize_bytes(lines.cell(*allocated), kMegabyte_bytes) : std::nullopt;
        const auto reservedBytes =
            reserved ? ascendSize_bytes(lines.cell(*reserved), kMegabyte_bytes) : std::nullopt;
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
