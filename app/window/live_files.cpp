// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_files.h"

#include <algorithm>
#include <set>

namespace lockstep {

LiveFiles::Shown LiveFiles::Round::read(size_t i, const Progress& progress) const
{
    const auto begun = Clock::now();
    Shown shown;
    shown.file = m_files[i].first;
    auto report = m_files[i].second->read(progress);
    if (!report) {
        shown.problem = {report.error().message, report.error().help};
    } else if (*report != nullptr) {
        shown.report = *std::move(report);
        shown.lod = buildLod(*shown.report, progress);
        shown.cost = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
    }
    return shown;
}

void LiveFiles::begin(const Run& run)
{
    m_run = run.record().id;
    m_files.clear();
    m_records.clear();
    add(run, 0);
}

void LiveFiles::add(const Run& run, size_t first)
{
    for (size_t i = first; i < run.record().hosts.size(); ++i)
        m_files.push_back(
            {run.record().hosts[i].host, std::make_shared<LiveEventLog>(run.eventFile(i)), {}, 0, {}});
}

void LiveFiles::update(const std::vector<LiveHostState>& hosts)
{
    std::set<std::string> found; // ids of the files that an earlier host has
    for (const LiveHostState& host : hosts) {
        for (const LiveRecordFile& file : host.records) {
            auto known = std::ranges::find(m_records, file.id, &Records::id);
            if (known == m_records.end()) {
                const auto records = std::make_shared<LiveRecords>();
                m_records.push_back({file.id, m_files.size(), records});
                m_files.push_back({host.host, records, {}, 0, {}});
                known = m_records.end() - 1;
            }
            File& shown = m_files[known->file];
            // Another host may continue a file if the first one has failed.
            if (shown.host != host.host) shown.host.clear();
            if (found.insert(file.id).second) known->records->follow(file.path, file.bytes);
        }
    }
    const auto isShared = [&](const Records& records) {
        return std::ranges::any_of(
            hosts, [&](const LiveHostState& host) { return host.shared.contains("records " + records.id); });
    };
    for (const Records& records : m_records) {
        if (isShared(records)) m_files[records.file].host.clear();
    }
}

bool LiveFiles::isShown() const
{
    return std::ranges::any_of(m_files, [](const File& file) { return file.key.isValid(); });
}

LiveFiles::Round LiveFiles::round() const
{
    Round round;
    const auto now = Clock::now();
    for (size_t i = 0; i < m_files.size(); ++i) {
        if (m_files[i].due <= now) round.m_files.emplace_back(i, m_files[i].file);
    }
    return round;
}

uint64_t LiveFiles::memory_bytes() const
{
    uint64_t bytes = 0;
    for (const File& file : m_files)
        bytes += file.memory_bytes;
    return bytes;
}

// Returns the report with the identity it will have when the collected file is opened.
OpenedInScene LiveFiles::openedAs(const File& file, const Shown& shown) const
{
    Identity stated;
    stated.run.learn(m_run, "run record", Confidence::confirmed);
    if (!file.host.empty()) stated.host.learn(file.host, "run record", Confidence::confirmed);
    return {file.key, shown.report, shown.lod,
            std::make_shared<const ReportIdentity>(identityOf(*shown.report, stated, {}))};
}

void LiveFiles::close(SceneChange& change)
{
    for (const File& file : m_files) {
        if (file.key.isValid()) change.closed.insert(file.key);
    }
    m_files.clear();
    m_records.clear();
}

} // namespace lockstep
