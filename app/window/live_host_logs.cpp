// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_host_logs.h"

#include <algorithm>

namespace lockstep {

LiveHostLogs::Shown LiveHostLogs::Round::read(size_t i, const Progress& progress) const
{
    const auto begun = Clock::now();
    Shown shown;
    shown.log = m_logs[i].first;
    auto report = m_logs[i].second->read(progress);
    if (!report) {
        shown.problem = {report.error().message, report.error().help};
    } else if (*report != nullptr) {
        shown.report = *std::move(report);
        shown.lod = buildLod(*shown.report, progress);
        shown.cost = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
    }
    return shown;
}

void LiveHostLogs::begin(const Run& run)
{
    m_run = run.record().id;
    m_logs.clear();
    add(run, 0);
}

void LiveHostLogs::add(const Run& run, size_t first)
{
    for (size_t i = first; i < run.record().hosts.size(); ++i)
        m_logs.push_back(
            {run.record().hosts[i].host, std::make_shared<LiveEventLog>(run.eventFile(i)), {}, 0, {}});
}

bool LiveHostLogs::isShown() const
{
    return std::ranges::any_of(m_logs, [](const Log& log) { return log.key.isValid(); });
}

LiveHostLogs::Round LiveHostLogs::round() const
{
    Round round;
    const auto now = Clock::now();
    for (size_t i = 0; i < m_logs.size(); ++i) {
        if (m_logs[i].due <= now) round.m_logs.emplace_back(i, m_logs[i].log);
    }
    return round;
}

uint64_t LiveHostLogs::memory_bytes() const
{
    uint64_t bytes = 0;
    for (const Log& log : m_logs)
        bytes += log.memory_bytes;
    return bytes;
}

// Returns the report with the identity it will have when the collected log is opened.
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
