// SPDX-License-Identifier: Apache-2.0
#include "core/trace/repeated_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace lockstep {

namespace {

constexpr size_t kMaxNamed = 6;

// GPU streams of one process of a report.
struct ProcessWork {
    ReportKey report;
    std::vector<TrackId> streams;
};

// Properties of ProcessWork that can be determined without reading all of its rows.
struct WorkFingerprint {
    uint64_t rows = 0;
    int64_t first_ns = 0; // on the wall clock, if the report has one
    int64_t last_ns = 0;

    friend auto operator<=>(const WorkFingerprint&, const WorkFingerprint&) = default;
};

std::vector<ProcessWork> workOf(const Workspace& workspace, ReportKey key)
{
    std::map<ProcessId, ProcessWork> works;
    const Report& report = workspace.report(key);
    for (size_t track = 0; track < report.tracks.size(); ++track) {
        const Track& stream = report.tracks[track];
        if (stream.key.kind != TrackKind::gpuStream || stream.sliceCount == 0) continue;
        ProcessWork& work = works[stream.key.process];
        work.report = key;
        work.streams.emplace_back(static_cast<uint32_t>(track));
    }
    std::vector<ProcessWork> out;
    for (auto& [process, work] : works)
        out.push_back(std::move(work));
    return out;
}

int64_t zeroOf(const Report& report)
{
    return report.clock.utcAtZero_ns.value_or(0);
}

WorkFingerprint fingerprintOf(const Workspace& workspace, const ProcessWork& work)
{
    const Report& report = workspace.report(work.report);
    WorkFingerprint fingerprint;
    for (const TrackId id : work.streams) {
        const Track& track = report.track(id);
        const int64_t first_ns = zeroOf(report) + report.slices.start(track.firstSlice).ns;
        const int64_t last_ns =
            zeroOf(report) + report.slices.start(SliceId(track.firstSlice.value + track.sliceCount - 1)).ns;
        fingerprint.first_ns = fingerprint.rows == 0 ? first_ns : std::min(fingerprint.first_ns, first_ns);
        fingerprint.last_ns = fingerprint.rows == 0 ? last_ns : std::max(fingerprint.last_ns, last_ns);
        fingerprint.rows += track.sliceCount;
    }
    return fingerprint;
}

// Returns a digest of all rows that does not depend on their order.
uint64_t digestOf(const Workspace& workspace, const ProcessWork& work)
{
    const Report& report = workspace.report(work.report);
    uint64_t digest = 0;
    for (const TrackId id : work.streams) {
        const Track& track = report.track(id);
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            uint64_t row = std::hash<std::string_view>()(report.nameOf(slice));
            for (const int64_t number :
                 {zeroOf(report) + report.slices.start(slice).ns, report.slices.duration(slice).ns})
                row = (row ^ static_cast<uint64_t>(number)) * 0x9E3779B97F4A7C15ull;
            digest += row ^ (row >> 29);
        }
    }
    return digest;
}

std::string nameOf(const Workspace& workspace, ReportKey key)
{
    return workspace.report(key).provenance.path.filename().string();
}

std::string namesOf(const Workspace& workspace, const std::vector<ReportKey>& keys)
{
    std::string names;
    for (size_t i = 0; i < std::min(keys.size(), kMaxNamed); ++i)
        names += (i == 0 ? "" : ", ") + nameOf(workspace, keys[i]);
    if (keys.size() > kMaxNamed) names += " and " + std::to_string(keys.size() - kMaxNamed) + " more";
    return names;
}

template<class T>
bool differs(const Sourced<T>& a, const Sourced<T>& b)
{
    return a.isKnown() && b.isKnown() && a.value != b.value;
}

TimeRange wallExtent(const Report& report)
{
    const Duration zero{zeroOf(report)};
    return {report.extent.begin + zero, report.extent.end + zero};
}

bool doConflict(const Workspace& workspace, ReportKey one, ReportKey other)
{
    const Identity& a = workspace.identity(one);
    const Identity& b = workspace.identity(other);
    const Report& left = workspace.report(one);
    const Report& right = workspace.report(other);
    if (left.provenance.path == right.provenance.path) return false; // both are parts of the same file
    if (!differs(a.pid, b.pid) && !wallExtent(left).overlaps(wallExtent(right))) return false;
    return !differs(a.run, b.run) && !differs(a.role, b.role) && !differs(a.tool, b.tool) &&
           !differs(a.stage, b.stage) && !differs(a.captureIndex, b.captureIndex) &&
           !differs(a.replica, b.replica) && !differs(a.worldSize, b.worldSize);
}

} // namespace

std::vector<RepeatedWork> findRepeatedWork(const Workspace& workspace)
{
    std::vector<std::vector<ProcessWork>> merged;
    std::multimap<WorkFingerprint, ProcessWork> single;
    for (const ReportKey key : workspace.keys()) {
        std::vector<ProcessWork> works = workOf(workspace, key);
        if (works.size() > 1) {
            merged.push_back(std::move(works));
        } else if (works.size() == 1) {
            single.emplace(fingerprintOf(workspace, works.front()), std::move(works.front()));
        }
    }
    std::vector<RepeatedWork> out;
    for (const std::vector<ProcessWork>& works : merged) {
        RepeatedWork repeated{works.front().report, {}};
        for (const ProcessWork& work : works) {
            const auto [begin, end] = single.equal_range(fingerprintOf(workspace, work));
            if (begin == end) break;
            const uint64_t digest = digestOf(workspace, work);
            const auto same = std::find_if(
                begin, end, [&](const auto& other) { return digestOf(workspace, other.second) == digest; });
            if (same == end) break;
            repeated.parts.push_back(same->second.report);
        }
        if (repeated.parts.size() == works.size()) out.push_back(std::move(repeated));
    }
    return out;
}

std::string partsText(const Workspace& workspace, const RepeatedWork& repeated)
{
    std::vector<ReportKey> parts = repeated.parts;
    std::ranges::sort(parts, {}, [&](ReportKey key) { return nameOf(workspace, key); });
    return namesOf(workspace, parts);
}

Workspace withoutRepeatedWork(const Workspace& workspace)
{
    std::set<ReportKey> repeated;
    for (const RepeatedWork& work : findRepeatedWork(workspace))
        repeated.insert(work.report);
    if (repeated.empty()) return workspace;
    Workspace out;
    for (const ReportKey key : workspace.keys()) {
        if (!repeated.contains(key)) out.add(key, workspace.shared(key), workspace.sharedIdentity(key));
    }
    return out;
}

std::vector<std::vector<ReportKey>> findConflictingReports(const Workspace& workspace)
{
    std::map<std::pair<int, int>, std::vector<std::vector<ReportKey>>> groups; // by (rank, step)
    std::vector<std::vector<ReportKey>> out;
    for (const ReportKey key : workspace.keys()) {
        const Identity& identity = workspace.identity(key);
        if (!identity.rank.isKnown() || !identity.step.isKnown() || workOf(workspace, key).empty()) continue;
        auto& known = groups[{*identity.rank.value, *identity.step.value}];
        const auto same = std::ranges::find_if(known, [&](const std::vector<ReportKey>& conflicting) {
            return doConflict(workspace, conflicting.front(), key);
        });
        if (same != known.end()) {
            same->push_back(key);
        } else {
            known.push_back({key});
        }
    }
    for (auto& [claim, all] : groups) {
        for (std::vector<ReportKey>& conflicting : all) {
            if (conflicting.size() > 1) out.push_back(std::move(conflicting));
        }
    }
    std::ranges::sort(out);
    return out;
}

std::string conflictText(const Workspace& workspace, const std::vector<ReportKey>& conflicting)
{
    const Identity& identity = workspace.identity(conflicting.front());
    return std::to_string(conflicting.size()) + " reports claim rank " +
           std::to_string(*identity.rank.value) + ", step " + std::to_string(*identity.step.value) + ": " +
           namesOf(workspace, conflicting) +
           ". Tables add them up; open only one if they are attempts at the same step";
}

} // namespace lockstep
