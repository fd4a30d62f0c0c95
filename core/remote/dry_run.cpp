// SPDX-License-Identifier: Apache-2.0
#include "core/remote/dry_run.h"

#include <cstdlib>

#include "core/remote/host_probe.h"
#include "core/remote/run_record.h"
#include "core/session/script_launch.h"
#include "core/session/secrets.h"

namespace lockstep {

Result<std::unique_ptr<DryRun>> DryRun::create(const SessionConfig& config, std::span<const HostFacts> facts,
                                               RunOptions options)
{
    LaunchPlan plan = LOCKSTEP_TRY(dryRunPlan(config, facts));
    const SecretValues secrets = secretValues(config, [](const char* name) { return std::getenv(name); });
    std::unique_ptr<DryRun> made(new DryRun(std::move(plan), std::move(options)));
    const std::string id = newRunId("dry-run-" + config.name, epochNow_ns());
    for (const HostPlan& host : made->m_plan.hosts) {
        Part part;
        part.plan = host;
        part.runDir =
            agentRunsFolder(host, findHostFacts(facts, host.host)) + id + "/" + fileNameOf(host.host);
        part.client = std::make_unique<AgentClient>(makeRemote(made->m_options, host.address),
                                                    made->m_options.agent, nullptr, host.agentFolder);
        part.client->setIdleTimeout(made->m_options.giveUpConnecting_s);
        part.client->setSecrets(secrets.values, secrets.missing);
        made->m_parts.push_back(std::move(part));
    }
    for (size_t i = 0; i < made->m_parts.size(); ++i)
        QMetaObject::invokeMethod(
            made.get(), [dryRun = made.get(), i] { dryRun->begin(i); }, Qt::QueuedConnection);
    return made;
}

DryRun::DryRun(LaunchPlan plan, RunOptions options) : m_plan(std::move(plan)), m_options(std::move(options))
{
}

DryRun::~DryRun() = default;

void DryRun::begin(size_t index)
{
    Part& part = m_parts[index];
    part.client->start(jsonFromHostPlan(m_plan, part.plan), part.runDir, std::nullopt, false,
                       [this, index](const Status& started) {
                           if (!started) return end(index, started);
                           m_parts[index].client->follow(
                               m_parts[index].runDir, 1,
                               [this, index](const RunEvent& event, std::string_view) {
                                   take(index, event);
                                   return true;
                               },
                               [this, index](const Status& followed) { end(index, followed); });
                       });
}

void DryRun::take(size_t index, const RunEvent& event)
{
    Part& part = m_parts[index];
    if (event.kind == EventKind::standardOutput || event.kind == EventKind::standardError)
        emit outputArrived(part.plan.host, event.text);
    if (event.kind == EventKind::launch) {
        const bool isProfiled = event.outcome == "profiled";
        part.launches.push_back({part.plan.host, event.framework, isProfiled ? std::string() : event.text,
                                 event.argv, event.profiledArgv, event.addedEnvironment});
    }
    if (event.kind == EventKind::exit && event.command && event.code != 0)
        part.problem = "the script ended with an error: " + event.text;
    if (event.kind == EventKind::error && part.problem.empty()) part.problem = event.text;
}

void DryRun::end(size_t index, const Status& status)
{
    Part& part = m_parts[index];
    if (!status) part.problem = status.error().message;
    if (status) part.client->remove(part.runDir, [](Result<int64_t>) {}); // a folder that stays does no harm
    if (++m_ended < m_parts.size()) return;
    for (Part& one : m_parts) {
        m_launches.insert(m_launches.end(), one.launches.begin(), one.launches.end());
        if (!one.problem.empty()) m_problems.push_back(one.plan.host + ": " + one.problem);
    }
    emit finished();
}

void DryRun::cancel()
{
    constexpr double kGrace_s = 5;
    for (Part& part : m_parts)
        part.client->stop(part.runDir, kGrace_s, [](const Status&) {});
}

} // namespace lockstep
