// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_files.h"

#include <algorithm>
#include <set>

#include "core/readers/recording_parts.h"

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
    m_recordings.clear();
    m_places.clear();
    add(run, 0);
}

void LiveFiles::add(const Run& run, size_t first)
{
    for (size_t i = first; i < run.record().hosts.size(); ++i)
        m_files.push_back(
            {run.record().hosts[i].host, std::make_shared<LiveEventLog>(run.eventFile(i)), {}, 0, {}});
}

// Returns the place of a file that is new. Files with the same name may be different files on each host, so
// only files that the same host sends are joined.
LiveFiles::Place LiveFiles::placeOf(const LiveHostState& host, const LiveRecordFile& file)
{
    std::string name = file.id, part;
    const auto sniff = sniffFile(file.path);
    const Reader* const reader = sniff ? readerFor(*sniff) : nullptr;
    const Division division =
        reader != nullptr && reader->divisionOf != nullptr ? reader->divisionOf(*sniff) : Division();
    if (const auto named = partName(file.path.filename().string(), division.naming)) {
        name = host.host + '\n' + file.folder + '\n' + named->recording + '\n' + std::string(division.format);
        part = named->place;
    }
    auto known = std::ranges::find(m_recordings, name, &Recording::name);
    if (known == m_recordings.end() || known->parts.contains(part)) {
        // A file that replaces another one of the same name is a recording of its own.
        if (known != m_recordings.end()) name += '\n' + file.id;
        const auto records = std::make_shared<LiveRecords>();
        m_recordings.push_back({name, m_files.size(), records, {}});
        m_files.push_back({host.host, records, {}, 0, {}});
        known = m_recordings.end() - 1;
    }
    known->parts.emplace(part, LiveRecords::Part());
    return {static_cast<size_t>(known - m_recordings.begin()), part};
}

void LiveFiles::update(const std::vector<LiveHostState>& hosts)
{
    const auto isShared = [&](const std::string& id) {
        return std::ranges::any_of(
            hosts, [&](const LiveHostState& host) { return host.shared.contains("records " + id); });
    };
    std::set<std::string> found; // ids of the files that an earlier host has
    for (const LiveHostState& host : hosts) {
        for (const LiveRecordFile& file : host.records) {
            if (!file.isReadable()) continue;
            auto place = m_places.find(file.id);
            if (place == m_places.end()) place = m_places.emplace(file.id, placeOf(host, file)).first;
            Recording& recording = m_recordings[place->second.recording];
            File& shown = m_files[recording.file];
            // Another host may continue a file if the first one has failed.
            if (shown.host != host.host || isShared(file.id)) shown.host.clear();
            if (found.insert(file.id).second) recording.parts[place->second.part] = {file.path, file.bytes};
        }
    }
    for (const Recording& recording : m_recordings) {
        std::vector<LiveRecords::Part> parts;
        for (const auto& [place, part] : recording.parts)
            parts.push_back(part);
        recording.records->follow(std::move(parts));
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
    m_recordings.clear();
    m_places.clear();
}

} // namespace lockstep
