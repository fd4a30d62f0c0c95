// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>

#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/alive_signs.h"
#include "capture/agent/event_log.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
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

// A run's own part of what listCommand() needs to know.
struct ListedRun {
    std::vector<std::string> roots;
    fs::path workingFolder;
    int64_t ended_ns = 0; // of its last event
    std::vector<OtherRun> others;
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
        if (isRunEnd(line)) run.ended_ns = numberAt(Json::parse(line, nullptr, false), "t_ns").value_or(0);
    }
    if (run.ended_ns == 0) run.ended_ns = wallClock_ns();
    run.others = otherRuns(folder, began_ns);
    return run;
}

// The run that wrote into the same folder when the file was written; nullptr = none.
const OtherRun* otherWriter(const ListedRun& run, const FoundReport& report)
{
    const auto wrote = [&](const OtherRun& other) {
        return other.began_ns <= report.modified_ns && report.modified_ns <= other.ended_ns &&
               other.looksAt(report.path, report.isInWorkingFolder);
    };
    const auto other = std::ranges::find_if(run.others, wrote);
    return other != run.others.end() ? &*other : nullptr;
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

// One JSON object a line: path, [path_hex], size_bytes, modified_ns, kind, complete, reason, node,
// [flushing], [shared: below the working folder, in no folder for reports], [other_run: id of a run that
// wrote into the same folder then], [sha256]. With --run, what such a run wrote after the end of this one is
// left out.
int listCommand(Arguments arguments)
{
    ListedRun run;
    std::vector<std::string>& roots = run.roots;
    bool isQuick = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--quick") {
            isQuick = true;
        } else if (arguments[i] == "--run" && i + 1 < arguments.size()) {
            auto ofRun = listedRun(RunFolder(fs::absolute(arguments[++i])));
            if (!ofRun) return complain(ofRun.error().message, 1);
            ofRun->roots.insert(ofRun->roots.begin(), roots.begin(), roots.end());
            run = std::move(*ofRun);
        } else {
            roots.push_back(arguments[i]);
        }
    }
    if (roots.empty()) return complain("list needs a folder, or --run DIR", 2);
    const AliveSigns signs; // reading a large report takes minutes
    const std::string node = nodeName();
    for (const FoundReport& report : ReportScanner(roots, run.workingFolder).scanAtOnce()) {
        const OtherRun* const other = otherWriter(run, report);
        if (other == nullptr || report.modified_ns <= run.ended_ns) print(report, other, node, isQuick);
    }
    return 0;
}

} // namespace lockstep::agent
