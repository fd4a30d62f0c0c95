// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/run_past.h"
#include "core/base/json_fields.h"
#include "core/base/sha256.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

std::string nodeName()
{
    std::array<char, 256> name = {};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Information about the run that listCommand() needs.
struct ListedRun {
    std::vector<std::string> roots;
    fs::path workingFolder;
    int64_t ended_ns = 0; // time of the run's last event
    std::vector<OtherRun> others;
    // Path and inode of each report that the run's events mention.
    std::set<std::pair<std::string, uint64_t>> named;
};

Result<ListedRun> listedRun(const RunFolder& folder)
{
    ListedRun run;
    run.roots = LOCKSTEP_TRY(reportRootsOfRun(folder));
    run.workingFolder = workingFolderOfRun(folder);
    int64_t began_ns = 0;
    EventReader events(folder.eventsFile());
    for (std::string_view line = events.next(); !line.empty(); line = events.next()) {
        if (began_ns == 0) began_ns = numberAt(Json::parse(line, nullptr, false), "t_ns").value_or(0);
        const bool isReport = line.find("\"kind\":\"report\"") != line.npos;
        if (!isReport && !isRunEnd(line)) continue;
        const Json event = Json::parse(line, nullptr, false);
        if (isRunEnd(line)) run.ended_ns = numberAt(event, "t_ns").value_or(0);
        const std::string hex = textAt(event, "path_hex");
        if (isReport)
            run.named.emplace(hex.empty() ? textAt(event, "path") : bytesOfHex(hex), countAt(event, "inode"));
    }
    if (run.ended_ns == 0) run.ended_ns = wallClock_ns();
    run.others = otherRuns(folder, began_ns);
    return run;
}

// Returns the other run that used the same folder when the file was written, or nullptr if there is none.
const OtherRun* otherWriter(const ListedRun& run, const FoundReport& report)
{
    const auto wrote = [&](const OtherRun& other) {
        return other.began_ns <= report.modified_ns && report.modified_ns <= other.ended_ns &&
               other.expectsReportAt(report.path, report.isInWorkingFolder);
    };
    const auto other = std::ranges::find_if(run.others, wrote);
    return other != run.others.end() ? &*other : nullptr;
}

// Returns true if the report belongs to the other host's run. A file with the same name on this host's local
// disk does not belong to it.
bool isOfOtherHost(const ListedRun& run, const FoundReport& report)
{
    return run.named.contains({report.path.string(), report.inode}) ||
           isOnSharedDisk(report.path.parent_path());
}

void print(const FoundReport& report, const OtherRun* other, const std::string& node, bool isQuick)
{
    Json out{{"size_bytes", report.size_bytes}, {"modified_ns", report.modified_ns}, {"kind", report.kind},
             {"complete", report.isComplete},   {"reason", report.reason},           {"node", node}};
    addPath(out, report.path);
    if (report.isFlushing) out["flushing"] = true;
    if (report.isInWorkingFolder) out["shared"] = true;
    if (other != nullptr) out["other_run"] = other->id;
    if (!isQuick) {
        const auto digest = sha256OfFile(report.path, Progress());
        out["sha256"] = digest ? Json(*digest) : Json(nullptr);
    }
    std::printf("%s\n", jsonLine(out).c_str());
    std::fflush(stdout);
}

} // namespace

// Prints one JSON object per line: path, [path_hex], size_bytes, modified_ns, kind, complete, reason, node,
// [flushing], [shared: below the working folder, but in no report folder], [other_run: ID of a run that wrote
// to the same folder at that time], [sha256]. With --run, files are omitted if such a run wrote them after
// the end of this run. --elsewhere: the run is on another host, and this host sees its folder; lists only
// files that are also on that host.
int listCommand(Arguments arguments)
{
    ListedRun run;
    std::vector<std::string>& roots = run.roots;
    bool isQuick = false, isElsewhere = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--quick") {
            isQuick = true;
        } else if (arguments[i] == "--elsewhere") {
            isElsewhere = true;
        } else if (arguments[i] == "--run" && i + 1 < arguments.size()) {
            auto ofRun = listedRun(RunFolder(fs::absolute(arguments[++i])));
            if (!ofRun) return complain(ofRun.error().message, 1);
            ofRun->roots.insert(ofRun->roots.begin(), roots.begin(), roots.end());
            run = std::move(*ofRun);
        } else {
            roots.push_back(arguments[i]);
        }
    }
    if (roots.empty()) return complain("list needs a folder or --run DIR", 2);
    const Heartbeat signs; // reading a large report takes minutes
    const std::string node = nodeName();
    for (const FoundReport& report : ReportScanner(roots, run.workingFolder).scanAtOnce()) {
        if (isElsewhere && !isOfOtherHost(run, report)) continue;
        const OtherRun* const other = otherWriter(run, report);
        if (other == nullptr || report.modified_ns <= run.ended_ns) print(report, other, node, isQuick);
    }
    return 0;
}

} // namespace lockstep::agent
