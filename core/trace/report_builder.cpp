// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_builder.h"

#include "core/trace/report_freezer.h"

namespace lockstep {

size_t ReportBuilder::KeyHash::operator()(const TrackKey& key) const noexcept
{
    uint64_t hash = static_cast<uint64_t>(key.kind);
    for (const uint64_t part :
         {uint64_t(key.process.value), uint64_t(key.thread.value), uint64_t(key.device.value),
          static_cast<uint64_t>(key.lane), static_cast<uint64_t>(key.context)}) {
        hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

ReportBuilder::ReportBuilder() : m_report(std::make_unique<Report>()) {}

ProcessId ReportBuilder::process(uint64_t key, int64_t pid)
{
    const std::scoped_lock lock(m_mutex);
    const auto [entry, isNew] = m_processes.try_emplace(key, m_report->processes.size());
    if (isNew) m_report->processes.push_back({key, pid, {}, {}});
    return entry->second;
}

ThreadId ReportBuilder::thread(ProcessId process, int64_t tid)
{
    const std::scoped_lock lock(m_mutex);
    const TrackKey key{TrackKind::other, process, {}, {}, tid, 0};
    const auto [entry, isNew] = m_threads.try_emplace(key, m_report->threads.size());
    if (isNew) m_report->threads.push_back({process, tid, {}});
    return entry->second;
}

DeviceId ReportBuilder::device(ProcessId process, int ordinal)
{
    const std::scoped_lock lock(m_mutex);
    const TrackKey key{TrackKind::other, process, {}, {}, ordinal, 0};
    const auto [entry, isNew] = m_devices.try_emplace(key, m_report->devices.size());
    if (isNew) {
        Device device;
        device.process = process;
        device.ordinal = ordinal;
        m_report->devices.push_back(device);
    }
    return entry->second;
}

TrackId ReportBuilder::track(const TrackKey& key)
{
    const std::scoped_lock lock(m_mutex);
    const auto [entry, isNew] = m_tracks.try_emplace(key, m_report->tracks.size());
    if (isNew) {
        Track track;
        track.key = key;
        m_report->tracks.push_back(track);
    }
    return entry->second;
}

StringId ReportBuilder::intern(std::string_view text)
{
    const std::scoped_lock lock(m_mutex);
    return m_report->strings.intern(text);
}

std::string_view ReportBuilder::text(StringId id)
{
    const std::scoped_lock lock(m_mutex);
    return m_report->strings.at(id);
}

void ReportBuilder::setTrackName(TrackId track, StringId name)
{
    const std::scoped_lock lock(m_mutex);
    m_report->tracks[track.value].name = name;
}

void ReportBuilder::setSamples(SampleTables tables, SampleSources sources)
{
    m_report->samples = std::move(tables);
    m_sampleSources = std::move(sources);
}

CounterTrackId ReportBuilder::addCounterTrack(const CounterTrack& track)
{
    const std::scoped_lock lock(m_mutex);
    m_report->counterTracks.push_back(track);
    m_samples.emplace_back();
    return CounterTrackId(m_samples.size() - 1);
}

void ReportBuilder::addSamples(CounterTrackId track, std::vector<std::pair<int64_t, double>> samples)
{
    const std::scoped_lock lock(m_mutex);
    auto& ofTrack = m_samples[track.value];
    if (ofTrack.empty()) {
        ofTrack = std::move(samples);
    } else {
        ofTrack.insert(ofTrack.end(), samples.begin(), samples.end());
    }
}

void ReportBuilder::addLink(SourceRow cause, SourceRow effect, LinkKind kind)
{
    const std::scoped_lock lock(m_mutex);
    m_links.push_back({cause, effect, kind});
}

void ReportBuilder::adopt(SliceBatch&& batch, std::vector<StringId> names)
{
    const std::scoped_lock lock(m_mutex);
    m_adopted.push_back({std::move(batch), std::move(names)});
}

Result<std::unique_ptr<Report>> ReportBuilder::freeze(const Progress& progress)
{
    return ReportFreezer(*this, progress).run();
}

} // namespace lockstep
