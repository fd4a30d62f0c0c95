// SPDX-License-Identifier: Apache-2.0
#include "core/readers/ascend_memory/ascend_memory_reader.h"

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/readers/ascend_memory/component_memory.h"
#include "core/readers/ascend_memory/operator_memory.h"
#include "core/readers/cut_stream.h"
#include "core/readers/identity/file_identity.h"

namespace lockstep {

namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string_view withoutMark(std::string_view text)
{
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

bool isOperatorMemory(std::string_view text)
{
    return withoutMark(text).starts_with("Name,Size(KB),Allocation Time(us)");
}

bool isComponentMemory(std::string_view text)
{
    return withoutMark(text).starts_with("Component,Timestamp(us),Total Allocated(MB)");
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
