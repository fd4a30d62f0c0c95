// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_files.h"

#include <algorithm>

#include <QDateTime>

#include "core/base/mapped_file.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace fs = std::filesystem;

std::string newRunId(const std::string& session, int64_t now_ns)
{
    const QDateTime now = QDateTime::fromMSecsSinceEpoch(now_ns / 1'000'000, Qt::UTC);
    const std::string stem = now.toString("yyyy-MM-ddTHH-mm-ss").toStdString() + "-" +
                             (session.empty() ? "run" : fileNameOf(session));
    std::string id = stem;
    std::error_code error;
    for (int n = 2; fs::exists(runsFolder() / id, error); ++n)
        id = stem + "-" + std::to_string(n);
    return id;
}

std::string planFileName(std::string_view host)
{
    return "plan-" + fileNameOf(host) + ".json";
}

std::string agentRunsFolder(const HostPlan& host, const HostFacts* facts)
{
    if (!host.agentFolder.empty()) return host.agentFolder + "/agent-runs/";
    const bool hasLocal = facts != nullptr && facts->home && !facts->home->localFolder.empty();
    return hasLocal ? facts->home->localFolder + "/agent-runs/" : kAgentRuns;
}

int lastOrderOf(std::span<const HostPlan> plans)
{
    int last = 0;
    for (const HostPlan& plan : plans) {
        for (const PlannedCommand& command : plan.commands)
            last = std::max(last, command.order);
    }
    return last;
}

Result<std::string> textOfFile(const fs::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    return std::string(file.text());
}

Status writeRunFiles(const fs::path& folder, const SessionConfig& config, const LaunchPlan& plan,
                     std::span<const HostFacts> facts)
{
    LOCKSTEP_TRY(replaceFile(folder / "session.yaml", canonicalYaml(config)));
    std::string text;
    for (const HostFacts& one : facts)
        text += (text.empty() ? "[" : ",\n") + jsonFromHostFacts(one);
    LOCKSTEP_TRY(replaceFile(folder / "facts.json", text.empty() ? "[]" : text + "]"));
    return replaceFile(folder / "plan.json", jsonFromPlan(plan));
}

} // namespace lockstep
