// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/capture_spool_reader.h"

#include <algorithm>

#include "core/base/mapped_file.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/capture_spool/spool_import.h"
#include "core/readers/capture_spool/spool_records.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

constexpr size_t kLongestShown_bytes = 4096;

bool isCaptureSpoolFile(const FileSniff& file)
{
    return isSpool(file.head);
}

Result<std::unique_ptr<Report>> readCaptureSpoolFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    Provenance provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    auto report = readCaptureSpool(mapped.text(), std::move(provenance), progress);
    if (!report) return tl::make_unexpected(withContext(report.error(), file.path.string()));
    return report;
}

// Estimates the memory from the block headers alone. The headers contain the decompressed size, and a record
// of about 8 bytes corresponds to half a slice.
uint64_t memoryOfSpool_bytes(const FileSniff& file)
{
    constexpr uint64_t kUnpacking_parts = 4;
    const auto mapped = MappedFile::open(file.path);
    return mapped ? unpackedSpool_bytes(mapped->text()) * kUnpacking_parts : 0;
}

bool isTextField(std::string_view name)
{
    return name == "text" || name == "uuid";
}

// Returns all fields of the record from which the slice was created.
Result<SliceDetails> captureSpoolDetails(const Report& report, SliceId slice)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    const SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(mapped.text(), Progress()));
    const uint64_t row = report.slices.source[slice.value].row();
    const auto block = std::ranges::find_if(
        spool.blocks, [&](const SpoolBlock& each) { return each.head.sequence == row >> 28; });
    const auto payload = block != spool.blocks.end() ? unpackedPayload(*block) : std::nullopt;
    if (!payload)
        return makeError(ErrorKind::notFound, "the capture changed since it was read",
                         HelpTopic::changedFile);
    SpoolRecords records(*payload);
    SpoolRecord record;
    while (records.next(record)) {
        if (record.number != (row & 0xFFF'FFFF)) continue;
        SliceDetails details;
        details.source = std::string(spoolKindName(record.kind)) + " " + std::to_string(record.number) +
                         " of block " + std::to_string(row >> 28);
        for (size_t i = 0; i < spoolFieldCount(record.kind); ++i) {
            const std::string name(spoolFieldName(record.kind, i));
            const std::string value =
                isTextField(name)
                    ? repairedUtf8(records.text(record.fields[i]).substr(0, kLongestShown_bytes))
                    : std::to_string(record.fields[i]);
            details.arguments.emplace_back(name, value);
        }
        return details;
    }
    return makeError(ErrorKind::notFound, "the capture changed since it was read", HelpTopic::changedFile);
}

} // namespace

Result<std::unique_ptr<Report>> readCaptureSpool(std::string_view bytes, Provenance provenance,
                                                 const Progress& progress)
{
    provenance.kind = "lockstep capture";
    const SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(bytes, progress));
    return SpoolImport(std::move(provenance)).run(spool, progress);
}

Reader captureSpoolReader()
{
    return {.format = formatNamed("lockstep capture"),
            .title = "Lockstep's captures",
            .memory_tenths = 100,
            .recognizes = isCaptureSpoolFile,
            .read = readCaptureSpoolFile,
            .details = captureSpoolDetails,
            .memoryOf_bytes = memoryOfSpool_bytes};
}

} // namespace lockstep
