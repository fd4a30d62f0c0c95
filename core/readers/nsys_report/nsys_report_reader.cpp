// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/nsys_report_reader.h"

#include "core/base/text.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/recording_files.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

namespace lockstep {

namespace {

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

Result<std::unique_ptr<RowFactReader>> nsysReportFacts(const Report& report)
{
    return openNsysFacts(report.provenance.readFrom, report);
}

} // namespace

Reader nsysReportReader()
{
    return {.format = formatNamed("nsys report"),
            .title = "Nsight Systems reports",
            .memory_tenths = 6,
            .recognizes = isNsysReportFile,
            .read = readNsysReportFile,
            .details = nsysReportDetails,
            .yieldsTo = nsysFileYieldsTo,
            .facts = nsysReportFacts};
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
