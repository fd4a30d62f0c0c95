// SPDX-License-Identifier: Apache-2.0
#include "core/align/manual_shifts.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kBlank = " \t\r";

Result<ReportKey> reportNamed(std::string_view name, const Workspace& workspace)
{
    std::vector<ReportKey> found;
    for (const ReportKey key : workspace.keys()) {
        const auto& path = workspace.report(key).provenance.path;
        if (path.string() == name) return key;
        if (path.filename().string() == name) found.push_back(key);
    }
    if (found.size() == 1) return found[0];
    return makeError(
        ErrorKind::invalid,
        "\"" + std::string(name) + "\" is " +
            (found.empty() ? "not an open report" : "the name of several reports; use the full path"));
}

Result<std::pair<ReportKey, int64_t>> parseLine(std::string_view line, const Workspace& workspace)
{
    const size_t separator = line.find_last_of(" \t");
    const size_t nameEnd =
        separator == std::string_view::npos ? separator : line.find_last_not_of(kBlank, separator);
    if (nameEnd == std::string_view::npos)
        return makeError(ErrorKind::invalid, "expected a report and a time");
    const auto shift_ns = parseDuration(line.substr(separator + 1));
    if (!shift_ns) {
        return makeError(ErrorKind::invalid, "\"" + std::string(line.substr(separator + 1)) +
                                                 "\" is not a valid time (examples: 12.5us, -3ms)");
    }
    const ReportKey report = LOCKSTEP_TRY(reportNamed(line.substr(0, nameEnd + 1), workspace));
    return std::pair(report, *shift_ns);
}

} // namespace

Result<ManualShifts> parseManualShifts(std::string_view text, const Workspace& workspace)
{
    ManualShifts shifts;
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const size_t first = line.find_first_not_of(kBlank);
        if (first == std::string_view::npos || line[first] == '#') continue;
        line = line.substr(first, line.find_last_not_of(kBlank) - first + 1);
        auto shift = parseLine(line, workspace);
        if (!shift) return tl::make_unexpected(withContext(shift.error(), "line " + std::to_string(number)));
        shifts[shift->first] = shift->second;
    }
    return shifts;
}

} // namespace lockstep
