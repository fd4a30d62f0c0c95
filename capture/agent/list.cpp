// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
#include "core/base/json_fields.h"
#include "core/base/sha256.h"

namespace lockstep::agent {

namespace {

std::string nodeName()
{
    std::array<char, 256> name = {};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void print(const FoundReport& report, const std::string& node, bool isQuick)
{
    Json out{{"size_bytes", report.size_bytes}, {"modified_ns", report.modified_ns}, {"kind", report.kind},
             {"complete", report.isComplete},   {"reason", report.reason},           {"node", node}};
    addPath(out, report.path);
    if (report.isFlushing) out["flushing"] = true;
    if (!isQuick) {
        const auto digest = sha256OfFile(report.path, Progress());
        out["sha256"] = digest ? Json(*digest) : Json(nullptr);
    }
    std::printf("%s\n", jsonLine(out).c_str());
    std::fflush(stdout);
}

} // namespace

// One JSON object a line: path, [path_hex], size_bytes, modified_ns, kind, complete, reason, node,
// [flushing], [sha256].
int listCommand(Arguments arguments)
{
    std::vector<std::string> roots;
    bool isQuick = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--quick") {
            isQuick = true;
        } else if (arguments[i] == "--run" && i + 1 < arguments.size()) {
            auto ofRun = reportRootsOfRun(RunFolder(arguments[++i]));
            if (!ofRun) return complain(ofRun.error().message, 1);
            roots.insert(roots.end(), ofRun->begin(), ofRun->end());
        } else {
            roots.push_back(arguments[i]);
        }
    }
    if (roots.empty()) return complain("list needs a folder, or --run DIR", 2);
    const std::string node = nodeName();
    for (const FoundReport& report : ReportScanner(roots).scanAtOnce())
        print(report, node, isQuick);
    return 0;
}

} // namespace lockstep::agent
