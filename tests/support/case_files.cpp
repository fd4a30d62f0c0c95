// SPDX-License-Identifier: Apache-2.0
#include "tests/support/case_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "core/readers/report_search.h"
#include "core/scene/scene.h"
#include "core/trace/process_groups.h"
#include "core/trace/repeated_work.h"
#include "tests/support/places.h"
#include "tests/support/workers.h"

namespace lockstep::test {

std::filesystem::path caseFile(const std::string& name)
{
    return sharedData("cases") / name;
}

Json expectedOf(const std::string& name)
{
    std::ifstream file(caseFile(name + "/expected.json"));
    return Json::parse(file);
}

Workspace openedCase(const std::string& folder)
{
    Workspace workspace;
    const auto found = findReports({caseFile(folder)}, Progress(test::workers())).value();
    for (const std::filesystem::path& path : found.reports) {
        auto report = readReport(path, Progress(test::workers()));
        if (report) workspace.add(*report);
    }
    workspace = withoutRepeatedWork(workspace);
    completeIdentities(workspace);
    return workspace;
}

Table tableOf(std::string_view what, const Workspace& workspace, GroupBy by)
{
    Scope scope;
    scope.by = by;
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

Table tableOfFile(std::string_view what, const std::string& file)
{
    Workspace workspace;
    workspace.add(readReport(caseFile(file), Progress(test::workers())).value());
    return tableOf(what, workspace);
}

int64_t cell(const Table& table, std::string_view column, size_t row)
{
    return static_cast<int64_t>(std::llround(table.value(table.columnNamed(column), row)));
}

std::string rulesOf(const Table& table)
{
    std::string text;
    for (const std::string& rule : table.source.rules)
        text += rule + "\n";
    return text;
}

ReportKey reportOfRank(const Workspace& workspace, int rank)
{
    for (const ReportKey key : workspace.keys()) {
        if (workspace.identity(key).rank.value == rank && !workspace.report(key).memory) return key;
    }
    return {};
}

// Returns how far a rank's clock is ahead of rank 0's according to the alignment.
int64_t ahead_ns(const Workspace& workspace, const Alignment& alignment, int rank)
{
    const auto zeroOf = [&](int of) {
        const ReportKey key = reportOfRank(workspace, of);
        const auto utc = workspace.report(key).clock.utcAtZero_ns.value_or(0);
        return utc - alignment.map(key).offset_ns;
    };
    return zeroOf(rank) - zeroOf(0);
}

std::string refusalOf(const std::string& file)
{
    const auto report = readReport(caseFile(file), Progress(test::workers()));
    return report ? std::string("opened") : report.error().message;
}

uint64_t noteCountOf(const Report& report, std::string_view kind)
{
    uint64_t count = 0;
    for (const ImportNote& note : report.notes.all())
        count += note.kind == kind ? note.count : 0;
    return count;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

std::shared_ptr<const Report> reportOfCase(const std::string& file)
{
    return readReport(caseFile(file), Progress(test::workers())).value();
}

uint64_t rowCountOf(const Report& report, std::string_view kind)
{
    const auto found = std::ranges::find(report.rowCounts, kind, &std::pair<std::string, uint64_t>::first);
    return found == report.rowCounts.end() ? 0 : found->second;
}

int64_t kindCount(const Report& report, RowKind kind)
{
    return std::ranges::count(report.slices.kind, kind);
}

SliceId sliceNamed(const Report& report, std::string_view name)
{
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.nameOf(SliceId(i)) == name) return SliceId(i);
    }
    throw std::runtime_error("no slice " + std::string(name));
}

} // namespace lockstep::test
