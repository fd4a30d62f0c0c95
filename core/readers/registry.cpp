// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/readers/ascend_db/ascend_db_reader.h"
#include "core/readers/ascend_memory/ascend_memory_reader.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/chrome_json/chrome_json_reader.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/kept_report.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/perfetto/perfetto_reader.h"
#include "core/readers/reader.h"
#include "core/readers/run_events/run_events_reader.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

const Reader* readerNamed(std::string_view name)
{
    const auto found =
        std::ranges::find(readers(), name, [](const Reader& reader) { return reader.format.name; });
    return found != readers().end() ? &*found : nullptr;
}

std::string knownTitles()
{
    std::string titles;
    for (size_t i = 0; i < readers().size(); ++i)
        titles += std::string(i == 0                     ? ""
                              : i + 1 < readers().size() ? ", "
                                                         : " and ")
                      .append(readers()[i].title);
    return titles;
}

Result<const Reader*> requiredReader(const FileSniff& file)
{
    if (file.size_bytes == 0)
        return makeError(ErrorKind::corrupt, file.path.string() + ": empty file; copy it again");
    if (const Reader* const reader = readerFor(file)) return reader;
    for (const Reader& reader : readers()) {
        if (reader.explains != nullptr && reader.explains(file)) return &reader;
    }
    return makeError(ErrorKind::unsupported,
                     file.path.string() +
                         ": no profiler report that Lockstep knows (by its content); it opens " +
                         knownTitles() + ", plain, .gz or .zst");
}

// What only the registry knows of a report.
void finishReport(Report& report)
{
    Provenance& provenance = report.provenance;
    const Reader* const reader = readerNamed(provenance.kind);
    if (reader == nullptr) return; // a workspace of a later version
    report.openFacts = reader->facts;
    provenance.tool = reader->toolOf != nullptr ? reader->toolOf(provenance) : reader->format.tool;
}

Result<std::shared_ptr<const Report>> settledReport(const Reader& reader, const FileSniff& file,
                                                    const Progress& progress)
{
    if (reader.readAll != nullptr) {
        const Workspace reports = LOCKSTEP_TRY(reader.readAll(file, progress, finishReport)).workspace;
        if (reports.size() == 1) return reports.shared(reports.keys().front());
        return makeError(ErrorKind::unsupported, file.path.string() + ": a workspace of " +
                                                     std::to_string(reports.size()) +
                                                     " reports; open it as a workspace");
    }
    auto report = LOCKSTEP_TRY(reader.read(file, progress));
    finishReport(*report);
    return withResolvedIdentity(std::move(report));
}

} // namespace

std::span<const Reader> readers()
{
    static const std::array<Reader, 10> kReaders{
        workspaceFileReader(), // before nsys: both are SQLite databases
        ascendDbReader(),      // before nsys likewise
        nsysSqliteReader(),     nsysReportReader(),
        memorySnapshotReader(), // before Chrome JSON: a snapshot may be JSON too
        runEventsReader(),      // before Chrome JSON: its lines begin with a brace, too
        chromeJsonReader(),     perfettoReader(),   captureSpoolReader(), ascendMemoryReader(),
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

const Reader* readerByName(const std::filesystem::path& path)
{
    const ReportFormat* const format = formatOfFile(path.filename().string());
    return format != nullptr ? readerNamed(format->name) : nullptr;
}

std::vector<std::string_view> knownEndings()
{
    std::vector<std::string_view> endings;
    for (const Reader& reader : readers())
        endings.insert(endings.end(), reader.format.endings.begin(), reader.format.endings.end());
    endings.insert(endings.end(), kPackedEndings.begin(), kPackedEndings.end());
    return endings;
}

Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    return settledReport(*LOCKSTEP_TRY(requiredReader(file)), file, progress);
}

Result<Workspace> readReports(const std::filesystem::path& path, const Progress& progress)
{
    return LOCKSTEP_TRY(readContents(path, progress)).workspace;
}

Result<FileContents> readContents(const std::filesystem::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    const Reader* const reader = LOCKSTEP_TRY(requiredReader(file));
    if (reader->readAll != nullptr) return reader->readAll(file, progress, finishReport);
    std::optional<KeptReport> kept;
    if (progress.place().folder() != nullptr) {
        kept = LOCKSTEP_TRY(KeptReport::of(path, progress));
        if (auto contents = LOCKSTEP_TRY(kept->open(progress, finishReport))) return *std::move(contents);
    }
    FileContents contents;
    contents.workspace.add(LOCKSTEP_TRY(settledReport(*reader, file, progress)));
    if (kept) LOCKSTEP_TRY(kept->keep(contents, progress));
    return contents;
}

Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice)
{
    if (const Reader* const reader = readerNamed(report.provenance.kind))
        return reader->details(report, slice);
    return makeError(ErrorKind::unsupported, "no reader of kind " + report.provenance.kind);
}

} // namespace lockstep
