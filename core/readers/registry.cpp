// SPDX-License-Identifier: Apache-2.0
#include "core/readers/registry.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>

#include "core/base/load_watch.h"
#include "core/base/memory_budget.h"
#include "core/base/spill_folder.h"
#include "core/readers/cached_report.h"
#include "core/readers/foreign_file.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/recording_parts.h"

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
    if (const auto foreign = foreignFileText(file))
        return makeError(ErrorKind::unsupported, file.path.string() + ": " + *foreign);
    if (const Reader* const reader = readerFor(file)) return reader;
    for (const Reader& reader : readers()) {
        if (reader.explains != nullptr && reader.explains(file)) return &reader;
    }
    return makeError(ErrorKind::unsupported,
                     file.path.string() + ": not a recognized profiler report; Lockstep opens " +
                         knownTitles() + ", uncompressed or as .gz or .zst",
                     HelpTopic::unrecognizedFile);
}

// Adds the information about a report that only the registry has.
void finishReport(Report& report)
{
    Provenance& provenance = report.provenance;
    const Reader* const reader = readerNamed(provenance.kind);
    if (reader == nullptr) return; // the report comes from a workspace of a later version
    provenance.tool = reader->toolOf != nullptr ? reader->toolOf(provenance) : reader->format.tool;
}

void noteIfEmpty(Report& report)
{
    const bool hasContent = report.slices.size() > 0 || report.counters.size() > 0 ||
                            report.memory != nullptr || !report.clockRounds.empty() ||
                            !report.samples.empty();
    if (hasContent || !report.notes.all().empty()) return; // the notes already state the reason
    report.notes.add("report.empty", NoteSeverity::warning,
                     "the file contains metadata but no events; profile again with activities enabled",
                     report.provenance.path.filename().string());
}

std::shared_ptr<const Report> completed(std::unique_ptr<Report> report)
{
    noteIfEmpty(*report);
    finishReport(*report);
    return withResolvedIdentity(std::move(report));
}

Result<std::shared_ptr<const Report>> resolvedReport(const Reader& reader, const FileSniff& file,
                                                     const Progress& progress)
{
    if (reader.readAll != nullptr) {
        const Workspace reports = LOCKSTEP_TRY(reader.readAll(file, progress, finishReport)).workspace;
        if (reports.size() == 1) return reports.shared(reports.keys().front());
        return makeError(ErrorKind::unsupported, file.path.string() + ": a workspace of " +
                                                     std::to_string(reports.size()) +
                                                     " reports; open it as a workspace");
    }
    return completed(LOCKSTEP_TRY(reader.read(file, progress)));
}

// Adds the other files of the recording for which the file stands, if it is divided.
FileSniff wholeRecording(FileSniff file)
{
    std::vector<std::filesystem::path> parts = filesOfRecording(file);
    if (parts.size() > 1 && parts.front() == file.path) file.parts = std::move(parts);
    return file;
}

Result<FileContents> readOnce(const std::filesystem::path& path, const Progress& progress, ReadExtent extent)
{
    FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    if (extent == ReadExtent::recording) file = wholeRecording(std::move(file));
    const Reader* const reader = LOCKSTEP_TRY(requiredReader(file));
    if (reader->readAll != nullptr) return reader->readAll(file, progress, finishReport);
    std::optional<CachedReport> cache;
    if (progress.place().folder() != nullptr) {
        cache = LOCKSTEP_TRY(CachedReport::of(file.parts.empty() ? std::vector{path} : file.parts, progress));
        if (auto contents = LOCKSTEP_TRY(cache->open(progress, finishReport))) return *std::move(contents);
    }
    FileContents contents;
    contents.workspace.add(LOCKSTEP_TRY(resolvedReport(*reader, file, progress)));
    if (cache) LOCKSTEP_TRY(cache->store(contents, progress));
    return contents;
}

// Calls `read`. If an allocation fails, on this thread or on a worker, converts the failure to an error for
// the file.
template<class T, class Read>
Result<T> withinMemory(const std::filesystem::path& path, const Read& read)
{
    try {
        return read();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // thrown by a container that cannot have that many elements
    } catch (const std::system_error&) { // thrown if no stack is available for a thread
    }
    returnFreeMemory();
    return makeError(ErrorKind::io, path.string() + ": not loaded: not enough memory to read it",
                     HelpTopic::memoryLimit);
}

// One attempt to read a file into a place. It is stopped if the process exceeds its memory limit.
class WatchedRead {
  public:
    WatchedRead(ReadExtent extent, uint64_t limit_bytes) : m_extent(extent), m_limit_bytes(limit_bytes) {}

    Result<FileContents> run(const std::filesystem::path& path, const Progress& progress,
                             const ColumnPlace& place)
    {
        return withinMemory<FileContents>(path, [&] { return runWatched(path, progress, place); });
    }
    bool wasStopped() const { return m_isOver; }
    uint64_t grown_bytes() const { return m_grown_bytes; }

  private:
    Result<FileContents> runWatched(const std::filesystem::path& path, const Progress& progress,
                                    const ColumnPlace& place)
    {
        LoadWatch load(m_limit_bytes, !place.isHeap());
        const LoadScope scope(&load);
        // Requested by the caller or by the watch, whichever comes first.
        std::stop_source either;
        const std::stop_callback byCaller(progress.stopToken(), [&] { either.request_stop(); });
        const std::stop_callback byWatch(load.stopToken(), [&] { either.request_stop(); });
        const auto report = [&](uint64_t done, uint64_t total) { progress.report(done, total); };
        const Progress watched(either.get_token(), report, progress.workers(), place);
        auto contents = withinMemory<FileContents>(path, [&] { return readOnce(path, watched, m_extent); });
        m_isOver = load.isOver();
        m_grown_bytes = load.grown_bytes();
        if (m_isOver) return tl::make_unexpected(load.status().error());
        return contents;
    }

    const ReadExtent m_extent;
    const uint64_t m_limit_bytes;
    bool m_isOver = false;
    uint64_t m_grown_bytes = 0;
};

tl::unexpected<Error> tooLarge(const std::filesystem::path& path, const Error& error, const std::string& more)
{
    return makeError(ErrorKind::io,
                     path.string() + ": not loaded: " + error.message + more +
                         "; raise the memory limit (--memory-limit) or close other reports",
                     error.help);
}

} // namespace

std::span<const Reader> readers()
{
#define LOCKSTEP_ENTRY(function) function(),
    static const std::array kReaders{LOCKSTEP_READERS(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    return kReaders;
}

const Reader* readerFor(const FileSniff& file)
{
    for (const Reader& reader : readers()) {
        if (reader.recognizes(file)) return &reader;
    }
    return nullptr;
}

const Reader* readerByName(const std::filesystem::path& path)
{
    const ReportFormat* const format = formatOfFile(path.filename().string());
    return format != nullptr ? readerNamed(format->name) : nullptr;
}

std::vector<std::string_view> knownSuffixes()
{
    std::vector<std::string_view> suffixes;
    for (const Reader& reader : readers())
        suffixes.insert(suffixes.end(), reader.format.suffixes.begin(), reader.format.suffixes.end());
    suffixes.insert(suffixes.end(), kCompressionSuffixes.begin(), kCompressionSuffixes.end());
    return suffixes;
}

Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress)
{
    return withinMemory<std::shared_ptr<const Report>>(path, [&]() -> Result<std::shared_ptr<const Report>> {
        const FileSniff file = wholeRecording(LOCKSTEP_TRY(sniffFile(path)));
        return resolvedReport(*LOCKSTEP_TRY(requiredReader(file)), file, progress);
    });
}

Result<std::shared_ptr<const Report>> readGrowingReport(const std::vector<std::filesystem::path>& files,
                                                        const Progress& progress)
{
    const std::filesystem::path& path = files.front();
    return withinMemory<std::shared_ptr<const Report>>(path, [&]() -> Result<std::shared_ptr<const Report>> {
        FileSniff file = LOCKSTEP_TRY(sniffFile(path));
        if (files.size() > 1) file.parts = files;
        const Reader* const reader = LOCKSTEP_TRY(requiredReader(file));
        if (!reader->isLive)
            return makeError(ErrorKind::unsupported, path.string() + ": " + std::string(reader->title) +
                                                         " can't be read during a run");
        auto report = LOCKSTEP_TRY(reader->read(file, progress));
        report->chunk = 0;
        return completed(std::move(report));
    });
}

Result<Workspace> readReports(const std::filesystem::path& path, const Progress& progress, ReadExtent extent)
{
    return LOCKSTEP_TRY(readContents(path, progress, extent)).workspace;
}

Result<FileContents> readContents(const std::filesystem::path& path, const Progress& progress,
                                  ReadExtent extent)
{
    const ColumnPlace& place = progress.place();
    if (!place.limit())
        return withinMemory<FileContents>(path, [&] { return readOnce(path, progress, extent); });
    const uint64_t limit_bytes = place.limit()->limit_bytes();
    WatchedRead first(extent, limit_bytes);
    auto contents = first.run(path, progress, place);
    if (!first.wasStopped()) return contents;
    returnFreeMemory();
    LOCKSTEP_TRY(progress.check());
    if (!place.isHeap()) return tooLarge(path, contents.error(), ", even with its rows on disk");
    // The file needs more memory than its size suggested. It is therefore read again, with its columns on
    // disk.
    const auto disk = overflowFolderOf(place.limit());
    if (disk == nullptr) return tooLarge(path, contents.error(), "");
    const auto onDisk = disk->place(first.grown_bytes(), limit_bytes);
    if (!onDisk)
        return tooLarge(path, contents.error(),
                        "; cannot be placed on disk either: " + onDisk.error().message);
    WatchedRead second(extent, limit_bytes);
    contents = second.run(path, progress, *onDisk);
    if (!second.wasStopped()) return contents;
    returnFreeMemory();
    return tooLarge(path, contents.error(), ", even with its rows on disk");
}

Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice)
{
    if (const Reader* const reader = readerNamed(report.provenance.kind))
        return reader->details(report, slice);
    return makeError(ErrorKind::unsupported, "no reader for files of kind " + report.provenance.kind);
}

} // namespace lockstep
