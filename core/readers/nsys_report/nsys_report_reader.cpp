// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/nsys_report_reader.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

// Implements Reader::yieldsTo for all three kinds of nsys files. Opens an export to check that it is
// complete, and may run an nsys once to find out what the nsys can convert.
std::string nsysFileYieldsTo(const std::filesystem::path& path,
                             const std::vector<std::filesystem::path>& files)
{
    const auto sibling = [&](const char* extension) {
        std::filesystem::path other = path;
        other.replace_extension(extension);
        return std::ranges::binary_search(files, other) ? other : std::filesystem::path();
    };
    const std::filesystem::path extension = path.extension(), exported = sibling(".sqlite");
    std::filesystem::path report = sibling(".nsys-rep");
    if (report.empty()) report = sibling(".qdrep");
    // A truncated export must not hide the complete report next to it, and must not be opened in addition to
    // that report.
    if (extension == ".nsys-rep" || extension == ".qdrep") {
        return !exported.empty() && isCompleteNsysExport(exported) ? "its SQLite export is in the same folder"
                                                                   : "";
    }
    if (extension == ".sqlite") {
        const bool isCut = !report.empty() && !isCompleteNsysExport(path);
        return isCut && canConvert(report, defaultConversionFolders())
                   ? "incomplete; the report it was exported from is in the same folder"
                   : "";
    }
    const bool isMade = !report.empty() || (!exported.empty() && isCompleteNsysExport(exported));
    return extension == ".qdstrm" && isMade ? "the report converted from it is in the same folder" : "";
}

bool isNsysReportFile(const FileSniff& file)
{
    return readReportHeader(file).has_value();
}

Result<std::unique_ptr<Report>> readNsysReportFile(const FileSniff& file, const Progress& progress)
{
    return readNsysReport(file, defaultConversionFolders(), progress);
}

Result<SliceDetails> nsysReportDetails(const Report& report, SliceId slice)
{
    return readNsysDetails(report.provenance.readFrom, report, slice);
}

} // namespace

Reader nsysReportReader()
{
    return {.format = formatNamed("nsys report"),
            .title = "Nsight Systems reports",
            .memory_tenths = 8,
            .recognizes = isNsysReportFile,
            .read = readNsysReportFile,
            .details = nsysReportDetails,
            .yieldsTo = nsysFileYieldsTo};
}

bool canConvert(const std::filesystem::path& report, const ConversionFolders& places)
{
    const auto file = sniffFile(report);
    const auto header = file ? readReportHeader(*file) : std::nullopt;
    if (!header || header->form != ReportForm::report || !header->isComplete) return false;
    const auto nsys = newestNsys(places.programFolders, {});
    return nsys && (!header->version || nsys->version >= *header->version);
}

Result<std::unique_ptr<Report>> readNsysReport(const FileSniff& file, const ConversionFolders& places,
                                               const Progress& progress)
{
    const auto header = readReportHeader(file);
    const std::string path = file.path.string();
    if (!header) return makeError(ErrorKind::unsupported, path + ": not an Nsight Systems report");
    // Reports with the old file extension may lack the end marker.
    const bool isStream = header->form == ReportForm::rawStream;
    if (!header->isComplete && !isStream && lowerAscii(file.path.extension().string()) != ".qdrep") {
        const std::string made = header->version ? "from Nsight Systems " + versionText(*header->version)
                                                 : std::string("from Nsight Systems");
        return makeError(
            ErrorKind::corrupt,
            path + ": a report " + made +
                " without its end marker: cut short or still being written. Copy it again after nsys "
                "has finished",
            HelpTopic::truncatedFile);
    }
    Provenance opened;
    opened.path = file.path;
    opened.size_bytes = file.size_bytes;
    opened.kind = "nsys report";
    opened.readFrom = LOCKSTEP_TRY(exportReport(file, *header, places, progress));
    const std::filesystem::path exported = opened.readFrom;
    auto report = readNsysExport(exported, std::move(opened), progress);
    if (!report) return tl::make_unexpected(withContext(report.error(), path));
    return report;
}

} // namespace lockstep
