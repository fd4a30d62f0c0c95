// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/recording_files.h"

#include <algorithm>

#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

namespace lockstep {

std::string nsysFileYieldsTo(const std::filesystem::path& path,
                             const std::vector<std::filesystem::path>& files)
{
    const auto beside = [&](const char* extension) {
        std::filesystem::path other = path;
        other.replace_extension(extension);
        return std::ranges::binary_search(files, other) ? other : std::filesystem::path();
    };
    const std::filesystem::path extension = path.extension(), exported = beside(".sqlite");
    std::filesystem::path report = beside(".nsys-rep");
    if (report.empty()) report = beside(".qdrep");
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

} // namespace lockstep
