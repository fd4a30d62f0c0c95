// SPDX-License-Identifier: Apache-2.0
#include "app/report_document.h"

#include <algorithm>
#include <set>

#include "core/analysis/analysis.h"
#include "core/base/text.h"
#include "core/export/html_report.h"
#include "core/export/provenance.h"

namespace lockstep {

namespace {

constexpr size_t kLargestSvg_bytes = 1'500'000; // beyond it pixels are smaller

std::string counted(size_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string titleOf(const Workspace& shown)
{
    std::set<std::string> hosts, roles;
    std::set<int> ranks;
    for (const ReportKey key : shown.keys()) {
        const Identity& who = shown.identity(key);
        if (who.host.value) hosts.insert(*who.host.value);
        if (who.role.value) roles.insert(*who.role.value);
        if (who.rank.value) ranks.insert(*who.rank.value);
    }
    std::string title = counted(shown.size(), "report", "reports");
    if (!ranks.empty()) title += ", " + counted(ranks.size(), "rank", "ranks");
    if (!hosts.empty()) title += ", " + counted(hosts.size(), "host", "hosts");
    std::string words;
    for (const std::string& role : roles)
        words += (words.empty() ? ": " : ", ") + role;
    return title + words;
}

std::vector<std::string> factsOf(const Scene& scene, std::span<const InputFile> inputs, const Scope& scope)
{
    std::vector<std::string> facts;
    const TimeRange extent = scene.extent();
    std::string time = "Covers " + durationText(extent.length());
    if (scene.alignment.utcAtZero_ns) {
        const int64_t begin = *scene.alignment.utcAtZero_ns + extent.begin.ns;
        time += ", from " + utcDateText(begin) + " " + utcTimeText(begin) + " UTC";
    }
    facts.push_back(time);
    facts.push_back("Clocks: " + scene.alignment.basis);
    const auto failed =
        std::ranges::count_if(inputs, [](const InputFile& input) { return input.error.has_value(); });
    if (failed > 0)
        facts.push_back(counted(static_cast<size_t>(failed), "input", "inputs") + " of " +
                        std::to_string(inputs.size()) + " could not be read: see Inputs");
    uint64_t losses = 0;
    for (const ReportKey key : scene.shown.keys()) {
        for (const ImportNote& note : scene.shown.report(key).notes.all())
            losses += note.severity == NoteSeverity::dataLoss ? note.count : 0;
    }
    if (losses > 0)
        facts.push_back("Rows are missing: " + std::to_string(losses) +
                        " could not be read or were lost in the run; see Inputs");
    for (const std::string& filter : scope.description())
        facts.push_back("Only " + filter);
    facts.push_back("Made by Lockstep " LOCKSTEP_VERSION);
    return facts;
}

Result<HtmlPicture> pictureOf(const PictureRequest& request, const DrawPicture& draw)
{
    std::string svg = LOCKSTEP_TRY(draw(request));
    if (svg.size() <= kLargestSvg_bytes) return HtmlPicture{"image/svg+xml", std::move(svg)};
    PictureRequest again = request;
    again.format = PictureFormat::png;
    return HtmlPicture{"image/png", LOCKSTEP_TRY(draw(again))};
}

Status addPictures(HtmlReport& report, const CommandLine& line, const Scene& scene, const DrawPicture& draw,
                   const Progress& progress)
{
    if (!draw) {
        report.timelineFailure = "this build has no window library";
        return {};
    }
    const Workers& workers = progress.workers();
    PictureRequest request{makeScene(scene.open, scene.alignment, workers),
                           PictureFormat::svg,
                           line.width,
                           line.height,
                           false,
                           line.lanes,
                           line.isFolded,
                           false,
                           MemoryLook::category,
                           line.scope.time,
                           workers};
    for (const bool isDark : {false, true}) {
        LOCKSTEP_TRY(progress.check());
        request.isDark = isDark;
        Result<HtmlPicture> picture = pictureOf(request, draw);
        if (!picture) {
            report.timelineFailure = picture.error().message;
            report.timeline.clear();
            return {};
        }
        report.timeline.push_back(std::move(*picture));
    }
    return {};
}

} // namespace

Result<ReportDocument> reportDocument(const CommandLine& line, const ScenePtr& scene,
                                      std::span<const InputFile> inputs, const DrawPicture& draw,
                                      const Progress& progress)
{
    HtmlReport report;
    report.title = titleOf(scene->shown);
    report.facts = factsOf(*scene, inputs, line.scope);
    if (line.rows > 0) report.mostRows = line.rows;
    for (const std::string& what : htmlReportTables()) {
        Result<Table> table = runAnalysis(what, *scene, line.scope, progress, inputs);
        if (!table && table.error().kind == ErrorKind::canceled) return tl::make_unexpected(table.error());
        if (table) {
            report.tables.push_back(std::move(*table));
        } else {
            report.failures.emplace_back(what, table.error().message);
        }
    }
    LOCKSTEP_TRY(addPictures(report, line, *scene, draw, progress));
    std::vector<const Table*> all;
    for (const Table& table : report.tables)
        all.push_back(&table);
    report.provenanceJson = provenanceJson({inputs, *scene, line.timeUnit}, all);
    ReportDocument document{htmlReport(report), {}};
    for (const auto& [name, why] : report.failures)
        document.missing.push_back(name + ": " + why);
    if (report.timeline.empty()) document.missing.push_back("timeline: " + report.timelineFailure);
    return document;
}

} // namespace lockstep
