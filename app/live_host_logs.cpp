// SPDX-License-Identifier: Apache-2.0
#include "app/live_host_logs.h"

#include <algorithm>

namespace lockstep {

LiveHostLogs::Shown LiveHostLogs::Round::read(size_t log, const Progress& progress) const
{
    Shown shown;
    shown.log = log;
    auto report = m_logs[log]->read(progress);
    if (!report) {
        shown.problem = report.error().message;
    } else if (*report != nullptr) {
        shown.report = *std::move(report);
        shown.lod = buildLod(*shown.report, progress);
    }
    return shown;
}

void LiveHostLogs::begin(const Run& run)
{
    m_run = run.record().id;
    m_logs.clear();
    for (size_t i = 0; i < run.record().hosts.size(); ++i)
        m_logs.push_back({run.record().hosts[i].host, std::make_shared<LiveEventLog>(run.eventFile(i)), {}});
}

bool LiveHostLogs::isShown() const
{
    return std::ranges::any_of(m_logs, [](const Log& log) { return log.key.isValid(); });
}

LiveHostLogs::Round LiveHostLogs::round() const
{
    Round round;
    for (const Log& log : m_logs)
        round.m_logs.push_back(log.log);
    return round;
}

// As when the collected log is opened.
OpenedInScene LiveHostLogs::openedAs(const Log& log, const Shown& shown) const
{
    Identity stated;
    stated.run.learn(m_run, "run record", Confidence::confirmed);
    stated.host.learn(log.host, "run record", Confidence::confirmed);
    return {log.key, shown.report, shown.lod,
            std::make_shared<const ReportIdentity>(identityOf(*shown.report, stated, {}))};
}

void LiveHostLogs::close(SceneChange& change)
{
    for (Log& log : m_logs) {
        if (log.key.isValid()) change.closed.insert(log.key);
    }
    m_logs.clear();
}

} // namespace lockstep
