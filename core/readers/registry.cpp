#include <algorithm>
#include <array>

#include "core/readers/ascend_db/ascend_db_reader.h"
#include "core/readers/chrome_json/chrome_json_reader.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/perfetto/perfetto_reader.h"
#include "core/readers/reader.h"
#include "core/readers/run_events/run_events_reader.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

Result<const Reader*> requiredReader(const FileSniff& file)
{
    if (file.size_bytes == 0)
        return makeError(ErrorKind::corrupt, file.path.string() + ": empty file; copy it again");
    if (const Reader* const reader = readerFor(file)) return reader;
    // A database that is named is tried by the reader of nsys exports: it says best what is the matter with
    // it.
    if (file.head.starts_with("SQLite format 3")) {
        return &*std::ranges::find(readers(), std::string_view("nsys sqlite"), &Reader::name);
    }
    return makeError(
        ErrorKind::unsupported,
        file.path.string() +
            ": no profiler report that Lockstep knows (by its content); it opens nsys "
            "SQLite exports, Ascend profiler databases, Chrome or PyTorch trace JSON, PyTorch memory snapshots, "
            "Perfetto traces and Lockstep workspaces, plain, .gz or .zst");
}

} // namespace

std::span<const Reader> readers()
{
    static const std::array<Reader, 8> kReaders{
        workspaceFileReader(), // before nsys: both are SQLite databases
        ascendDbReader(),      // before nsys likewise
        nsysSqliteReader(),     nsysReportReader(),
        memorySnapshotReader(), // before Chrome JSON: a snapshot may be JSON too
        runEventsReader(),      // before Chrome JSON: its lines begin with a brace, too
        chromeJsonReader(),     perfettoReader(),
    };
    return kReaders;
}

const Reader* readerFor(const FileSniff& file)
{
    for (const Reader& reader : readers()) {
        if (reader.recognises(file)) return &reader;
    }
    return nullptr;
}

Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    const Reader* const reader = LOCKSTEP_TRY(requiredReader(file));
    auto report = LOCKSTEP_TRY(reader->read(file, progress));
    return reader->readAll != nullptr ? report : withResolvedIdentity(std::move(report));
}

Result<Workspace> readReports(const std::filesystem::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    const Reader* const reader = LOCKSTEP_TRY(requiredReader(file));
    if (reader->readAll != nullptr) return reader->readAll(file, progress);
    Workspace one;
    one.add(withResolvedIdentity(LOCKSTEP_TRY(reader->read(file, progress))));
    return one;
}

Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice)
{
    for (const Reader& reader : readers()) {
        if (reader.name == report.provenance.kind) return reader.details(report, slice);
    }
    return makeError(ErrorKind::unsupported, "no reader of kind " + report.provenance.kind);
}

} // namespace lockstep
