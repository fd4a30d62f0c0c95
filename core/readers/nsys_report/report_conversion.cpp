// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/report_conversion.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include <unistd.h>

#include "core/base/child_process.h"
#include "core/base/mapped_file.h"
#include "core/base/private_file.h"
#include "core/base/progress.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/nsys_text.h"
#include "core/readers/nsys_report/report_header.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

namespace lockstep {

namespace {

// PartFile: a file that is being created; its destructor removes it.
struct PartFile {
    std::filesystem::path path;

    explicit PartFile(std::filesystem::path made) : path(std::move(made)) {}
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    ~PartFile()
    {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

// RawStream: the profiler's output (.qdstrm), which remains if the import step did not run, as on a node that
// has only the target part of an installation. An importer accepts only streams of exactly its own version.

namespace fs = std::filesystem;

Error noImporterError(const FileSniff& stream, const ReportHeader& header,
                      const std::vector<NsysInstall>& importers)
{
    const std::string version = header.versionToken.empty() ? "the version that recorded it"
                                                            : "Nsight Systems " + header.versionToken;
    std::string found;
    for (const NsysInstall& importer : importers)
        found += (found.empty() ? "" : ", ") + importer.build;
    const std::string name = stream.path.filename().string();
    return {
        ErrorKind::unsupported,
        stream.path.string() + ": a raw .qdstrm stream that only the QdstrmImporter of " + version +
            " can convert; " +
            (found.empty() ? "none was found on this machine" : "this machine has only that of " + found) +
            ". On a machine that has it, run: QdstrmImporter -i " + shellArgument(name) +
            " and open the resulting .nsys-rep"};
}

// Uses a child process, so that a stop request takes effect immediately even for gigabytes of data.
Status copyFile(const fs::path& source, const fs::path& target, const Progress& progress)
{
    const ChildExit end = LOCKSTEP_TRY(
        runChild("/bin/cp", {"--", fs::absolute(source).string(), target.string()}, progress.stopToken()));
    if (end.status != 0) return makeError(ErrorKind::io, lastLine(end.output));
    return {};
}

bool isWholeReport(const fs::path& path)
{
    const auto file = sniffFile(path);
    const auto header = file ? readReportHeader(*file) : std::nullopt;
    return header && header->form == ReportForm::report && header->isComplete;
}

// Returns the importer that has the stream's version from the installations in these folders. If the stream
// does not contain its version, returns any importer. Errors: unsupported if there is no importer, with the
// version and the command to run elsewhere in the message; canceled.
Result<NsysInstall> importerFor(const FileSniff& stream, const ReportHeader& header,
                                std::span<const fs::path> folders, const Progress& progress)
{
    const std::vector<NsysInstall> importers = streamImporters(folders, progress.stopToken());
    LOCKSTEP_TRY(progress.check());
    const auto found = std::ranges::find_if(importers, [&](const NsysInstall& importer) {
        return header.versionToken.empty() || importer.build == header.versionToken;
    });
    if (found == importers.end()) return tl::make_unexpected(noImporterError(stream, header, importers));
    return *found;
}

// Converts the stream to the report `target` and returns it. The importer works on a copy next to the target,
// because the importer adds a section to its input. Errors: corrupt with the reason if the importer rejected
// the stream, io, canceled. The copy is removed; after an error the target may be incomplete.
Result<fs::path> importStream(const FileSniff& stream, const NsysInstall& importer, const fs::path& target,
                              const Progress& progress)
{
    const PartFile copy(target.string() + ".qdstrm");
    LOCKSTEP_TRY(copyFile(stream.path, copy.path, progress));
    progress.report(0, 0);
    const ChildExit end = LOCKSTEP_TRY(
        runChild(importer.program, {"-i", copy.path.string(), "-o", target.string()}, progress.stopToken()));
    if (!isWholeReport(target)) {
        return makeError(ErrorKind::corrupt, stream.path.string() +
                                                 ": could not be imported by the QdstrmImporter of " +
                                                 importer.build + ": " + lastLine(end.output));
    }
    return target;
}

namespace fs = std::filesystem;

const std::string kPart = ".part"; // suffix in the names of incomplete files

// Returns a 128-bit hash over all bytes, from two multiply-and-mix lanes. The hash can distinguish files, but
// does not resist deliberate collisions.
Result<std::string> contentKey(const fs::path& path, const Progress& progress)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    const std::string_view text = file.text();
    std::array<uint64_t, 2> lanes{0x9E3779B97F4A7C15ull ^ text.size(), 0xC2B2AE3D27D4EB4Full};
    constexpr size_t kBlock = size_t(1) << 24;
    for (size_t at = 0; at < text.size(); at += 8) {
        if (at % kBlock == 0) {
            LOCKSTEP_TRY(progress.check());
            progress.report(at, text.size());
        }
        uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min<size_t>(8, text.size() - at));
        lanes[0] = (lanes[0] ^ word) * 0xFF51AFD7ED558CCDull;
        lanes[0] ^= lanes[0] >> 32;
        lanes[1] = (lanes[1] + word) * 0x9FB21C651E98DF25ull;
        lanes[1] ^= lanes[1] >> 29;
    }
    std::array<char, 33> hex = {};
    std::snprintf(hex.data(), hex.size(), "%016llx%016llx", static_cast<unsigned long long>(lanes[0]),
                  static_cast<unsigned long long>(lanes[1]));
    return std::string(hex.data());
}

// Returns an existing export of the same content, made by any version of nsys. If there are several, prefers
// the newest name.
fs::path cachedExport(const fs::path& cache, const std::string& key)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(cache, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const bool isWhole = name.ends_with(".sqlite") && name.find(kPart) == std::string::npos;
        if (isWhole && name.starts_with(key + "-nsys")) found.push_back(entry->path());
    }
    std::ranges::sort(found, std::greater());
    const auto whole = std::ranges::find_if(found, isCompleteNsysExport);
    return whole != found.end() ? *whole : fs::path();
}

std::string exportCommand(const fs::path& report)
{
    fs::path target = report.filename();
    target.replace_extension(".sqlite");
    return "nsys export -t sqlite --lazy=true --include-json=true -o " + shellArgument(target.string()) +
           " " + shellArgument(report.filename().string());
}

Error noNsysError(const FileSniff& file, const ReportHeader& header, const std::optional<NsysInstall>& found)
{
    const std::string needed =
        header.version ? "Nsight Systems " + versionText(*header.version) + " or newer"
                       : std::string("any version of Nsight Systems (the report is from 2023 or older)");
    std::string message = file.path.string() + ": requires " + needed + "; ";
    message += found ? "the newest nsys on this machine is " + versionText(found->version)
                     : std::string("no nsys was found on this machine");
    return {ErrorKind::unsupported,
            message + ". On a machine that has it, run: " + exportCommand(file.path) + " and open the result",
            HelpTopic::missingNsys};
}

// nsys rejects unknown options, so only options listed in its help are passed.
std::vector<std::string> exportArguments(const std::string& help, const fs::path& target,
                                         const fs::path& source)
{
    std::vector<std::string> arguments{"export", "-t", "sqlite"};
    for (const std::string option : {"--lazy=true", "--include-json=true", "--include-blobs=true",
                                     "--force-overwrite=true", "--quiet=true"}) {
        if (help.find(option.substr(0, option.find('='))) != std::string::npos) arguments.push_back(option);
    }
    arguments.insert(arguments.end(), {"-o", target.string(), source.string()});
    return arguments;
}

// Returns the name of an incomplete file in the cache. The name is unique among processes and threads.
fs::path partPath(const fs::path& target, const char* extension)
{
    static std::atomic<unsigned> next = 0;
    fs::path path = target;
    path.replace_extension(kPart + std::to_string(::getpid()) + "-" + std::to_string(next++) + extension);
    return path;
}

// `report` is the input of nsys: the file itself, or the report converted from it.
Result<fs::path> runExport(const FileSniff& file, const fs::path& report, const NsysInstall& nsys,
                           const fs::path& target, const Progress& progress)
{
    const auto help = LOCKSTEP_TRY(runChild(nsys.program, {"export", "--help"}, progress.stopToken()));
    const PartFile part(partPath(target, ".sqlite"));
    const auto arguments = exportArguments(help.output, part.path, fs::absolute(report));
    progress.report(0, 0);
    const ChildExit end = LOCKSTEP_TRY(runChild(nsys.program, arguments, progress.stopToken()));
    // The exit status is not sufficient, because some versions return 0 after an error.
    if (!isCompleteNsysExport(part.path)) {
        MessageWithHelp reason = translatedNsysMessage(end.output);
        if (reason.text.empty())
            reason.text =
                "nsys exited with status " + std::to_string(end.status) + ": " + lastLine(end.output);
        // If nsys was killed, the file is not the cause.
        const ErrorKind kind = end.status > 128 ? ErrorKind::io : ErrorKind::corrupt;
        return makeError(kind,
                         file.path.string() + ": could not be exported by nsys " + versionText(nsys.version) +
                             ": " + reason.text,
                         reason.help);
    }
    std::error_code error;
    fs::rename(part.path, target, error);
    if (error)
        return makeError(ErrorKind::io, target.string() + ": cannot be written: " + error.message(),
                         HelpTopic::writeError);
    return target;
}

} // namespace

ConversionFolders defaultConversionFolders()
{
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    fs::path cache = variable("XDG_CACHE_HOME");
    if (!cache.is_absolute())
        cache =
            (variable("HOME").empty() ? fs::temp_directory_path() : fs::path(variable("HOME"))) / ".cache";
    const std::string named = variable("LOCKSTEP_NSYS_FOLDERS");
    const std::string searched = named.empty() ? variable("PATH") : named + ":" + variable("PATH");
    return {nsysFolders(searched, "/"), cache / "lockstep" / "exports"};
}

Result<fs::path> exportReport(const FileSniff& file, const ReportHeader& header,
                              const ConversionFolders& places, const Progress& progress)
{
    const std::string key = LOCKSTEP_TRY(contentKey(file.path, progress));
    if (fs::path cached = cachedExport(places.cache, key); !cached.empty()) return cached;
    std::optional<NsysInstall> importer;
    if (header.form == ReportForm::rawStream) {
        importer = LOCKSTEP_TRY(importerFor(file, header, places.programFolders, progress));
    }
    const auto nsys = newestNsys(places.programFolders, progress.stopToken());
    LOCKSTEP_TRY(progress.check());
    if (!nsys || (header.version && nsys->version < *header.version)) {
        return tl::make_unexpected(noNsysError(file, header, nsys));
    }
    LOCKSTEP_TRY(makePrivateFolders(places.cache));
    const fs::path target = places.cache / (key + "-nsys" + versionText(nsys->version) + ".sqlite");
    if (!importer) return runExport(file, file.path, *nsys, target, progress);
    const PartFile imported(partPath(target, ".nsys-rep"));
    const fs::path report = LOCKSTEP_TRY(importStream(file, *importer, imported.path, progress));
    return runExport(file, report, *nsys, target, progress);
}

} // namespace lockstep
