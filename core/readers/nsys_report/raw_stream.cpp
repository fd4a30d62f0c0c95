// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/raw_stream.h"

#include <algorithm>

#include "core/base/child_process.h"
#include "core/readers/nsys_report/nsys_text.h"
#include "core/readers/nsys_report/part_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

Error noImporterError(const FileSniff& stream, const ReportHeader& header,
                      const std::vector<NsysInstall>& importers)
{
    const std::string version = header.versionToken.empty() ? "the version that recorded it"
                                                            : "Nsight Systems " + header.versionToken;
    std::string here;
    for (const NsysInstall& importer : importers)
        here += (here.empty() ? "" : ", ") + importer.build;
    const std::string name = stream.path.filename().string();
    return {ErrorKind::unsupported,
            stream.path.string() + ": a raw .qdstrm stream that only the QdstrmImporter of " + version +
                " can convert; " +
                (here.empty() ? "none was found on this machine" : "this machine has only that of " + here) +
                ". On a machine that has it, run: QdstrmImporter -i " + shellWord(name) +
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

} // namespace

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

} // namespace lockstep
