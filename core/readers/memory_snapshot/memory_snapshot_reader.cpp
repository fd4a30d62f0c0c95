// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"

#include <algorithm>

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/readers/cut_stream.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/memory_snapshot/json_tree.h"
#include "core/readers/memory_snapshot/memory_timeline.h"
#include "core/readers/memory_snapshot/pickle.h"
#include "core/readers/memory_snapshot/snapshot_decoder.h"

namespace lockstep {

namespace {

// Returns true for protocols 0 and 1, which start with their first value: a dictionary or list and its memo
// entry, or a code name.
bool isOldPickle(std::string_view text)
{
    for (const std::string_view begin : {"(dp", "(lp", "}q", "]q"}) {
        if (text.starts_with(begin)) return true;
    }
    const auto isName = [](std::string_view name) {
        return !name.empty() && std::ranges::all_of(name, [](char c) { return isNameChar(c) || c == '.'; });
    };
    const size_t module = text.find('\n');
    const size_t name = module == std::string_view::npos ? module : text.find('\n', module + 1);
    return text.starts_with('c') && name != std::string_view::npos && isName(text.substr(1, module - 1)) &&
           isName(text.substr(module + 1, name - module - 1));
}

bool isPickle(std::string_view text)
{
    if (text.size() <= 2) return false;
    return (text[0] == '\x80' && static_cast<unsigned char>(text[1]) <= 8) || isOldPickle(text);
}

// Returns true for a JSON object whose first key is a key of snapshots. Chrome traces start with other keys.
bool isSnapshotJson(std::string_view text)
{
    const size_t brace = text.find_first_not_of(" \t\r\n");
    if (brace == std::string_view::npos || text[brace] != '{') return false;
    const size_t quote = text.find_first_not_of(" \t\r\n", brace + 1);
    if (quote == std::string_view::npos) return false;
    const std::string_view key = text.substr(quote);
    return key.starts_with("\"segments\"") || key.starts_with("\"device_traces\"") ||
           key.starts_with("\"allocator_settings\"") || key.starts_with("\"external_annotations\"");
}

bool isMemorySnapshotFile(const FileSniff& file)
{
    return isPickle(file.text) || isSnapshotJson(file.text) || looksLikeMemoryTimeline(file.text);
}

void noteCut(Report& report, size_t end_bytes)
{
    report.notes.add("file.truncated", NoteSeverity::dataLoss,
                     "the snapshot is cut short; the part before the cut is shown",
                     "byte " + std::to_string(end_bytes));
}

Status fillFromPickle(std::string_view bytes, ProcessId process, ReportBuilder& builder,
                      const Progress& progress)
{
    Pickle pickle;
    SnapshotDecoder decoder(pickle.values, builder, process, progress);
    LOCKSTEP_TRY(readPickleRows(bytes, PickleLimits(), progress, pickle, decoder));
    if (!SnapshotDecoder::isSnapshot(pickle.values, pickle.root)) {
        return makeError(ErrorKind::unsupported,
                         "a pickle, but not a memory snapshot: it has neither segments nor device_traces",
                         HelpTopic::memorySnapshot);
    }
    Report& report = builder.report();
    report.provenance.schema = "pickle protocol " + std::to_string(pickle.protocol);
    if (pickle.isCut) noteCut(report, pickle.end_bytes);
    return decoder.decode(pickle.root);
}

Status fillFromJson(std::string_view bytes, ProcessId process, ReportBuilder& builder,
                    const Progress& progress)
{
    const JsonTree tree = LOCKSTEP_TRY(readJsonTree(bytes, progress));
    builder.report().provenance.schema = "json";
    if (tree.isCut) noteCut(builder.report(), tree.end_bytes);
    if (SnapshotDecoder::isSnapshot(tree.values, tree.root)) {
        return SnapshotDecoder(tree.values, builder, process, progress).decode(tree.root);
    }
    builder.report().provenance.producer = "PyTorch memory timeline";
    return decodeMemoryTimeline(tree.values, tree.root, process, builder, progress);
}

// Releases pages of the file that were already read, so that they do not add to the memory of the result.
// Strings that are needed later are loaded again.
Progress releasing(const MappedFile& mapped, const Progress& progress)
{
    constexpr size_t kStep_bytes = size_t(4) << 20;
    const auto told = [&mapped, &progress, released = size_t(0)](uint64_t done, uint64_t total) mutable {
        progress.report(done, total);
        if (total != mapped.size() || done < released + kStep_bytes) return;
        mapped.release(released, static_cast<size_t>(done) - released);
        released = static_cast<size_t>(done);
    };
    return Progress(progress.stopToken(), told, progress.workers(), progress.place());
}

Result<std::unique_ptr<Report>> readMemorySnapshotFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    Provenance provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    const auto readAll = [&]() -> Result<std::unique_ptr<Report>> {
        if (file.text == file.head && isPickle(file.text))
            return readMemorySnapshot(mapped.text(), provenance, releasing(mapped, progress));
        if (file.text == file.head) return readMemorySnapshot(mapped.text(), provenance, progress);
        const Inflated unpacked =
            LOCKSTEP_TRY(uncompressed(mapped.text(), unpackLimit_bytes(mapped.size()), progress));
        auto read = LOCKSTEP_TRY(readMemorySnapshot(unpacked.bytes, provenance, progress));
        if (!unpacked.isComplete) noteCutStream(read->notes, unpacked.bytes.size());
        return read;
    };
    auto report = readAll();
    if (!report) return tl::make_unexpected(withContext(report.error(), file.path.string()));
    return report;
}

// Details come from the report's tables, so the file is not needed.
Result<SliceDetails> memorySnapshotDetails(const Report& report, SliceId slice)
{
    SliceDetails out;
    const SourceRow source = report.slices.source[slice.value];
    const size_t row = source.row();
    if (source.table() == kMemoryAnnotationSource) {
        out.source = "external_annotations[" + std::to_string(row) + "]";
        return out;
    }
    if (!report.memory || row >= report.memory->entries.size()) {
        return makeError(ErrorKind::notFound, "the snapshot has no such entry");
    }
    const MemoryEntryTable& entries = report.memory->entries;
    const bool isOom = entries.action[row] == MemoryAction::outOfMemory;
    out.source = "device_traces row " + std::to_string(row);
    out.arguments.emplace_back("size", std::to_string(entries.size_bytes[row]));
    out.arguments.emplace_back(isOom ? "device_free" : "addr", std::to_string(entries.address[row]));
    out.arguments.emplace_back("stream", std::to_string(entries.stream[row]));
    for (const MemoryFrameId id : report.memory->stack(entries.stack[row])) {
        const MemoryFrame& frame = report.memory->frames[id.value];
        out.arguments.emplace_back("frame", std::string(report.strings.at(frame.function)) + " " +
                                                std::string(report.strings.at(frame.file)) + ":" +
                                                std::to_string(frame.line));
    }
    return out;
}

} // namespace

Result<std::unique_ptr<Report>> readMemorySnapshot(std::string_view bytes, const Provenance& provenance,
                                                   const Progress& progress)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = provenance;
    report.provenance.kind = "memory snapshot";
    report.provenance.producer = "PyTorch memory snapshot";
    const int64_t pid = identityFromPath(provenance.path).pid.value.value_or(0);
    const ProcessId process = builder.process(static_cast<uint64_t>(pid), pid);
    if (isPickle(bytes)) {
        LOCKSTEP_TRY(fillFromPickle(bytes, process, builder, progress));
    } else {
        LOCKSTEP_TRY(fillFromJson(bytes, process, builder, progress));
    }
    return builder.freeze(progress);
}

Reader memorySnapshotReader()
{
    return {.format = formatNamed("memory snapshot"),
            .title = "PyTorch memory snapshots",
            .memory_tenths = 20,
            .recognizes = isMemorySnapshotFile,
            .read = readMemorySnapshotFile,
            .details = memorySnapshotDetails};
}

} // namespace lockstep
