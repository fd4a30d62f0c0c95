// SPDX-License-Identifier: Apache-2.0
#include "core/compare/side.h"

#include <algorithm>
#include <map>

#include "core/base/path_labels.h"
#include "core/scene/next_scene.h"

namespace lockstep {

namespace {

constexpr size_t kMaxReports = 16; // maximum number of reports that are offered individually

// Returns the same scene with only these reports. The returned scene cannot be drawn.
Scene part(const Scene& scene, const std::vector<ReportKey>& reports)
{
    Scene out;
    for (const ReportKey key : reports)
        out.shown.add(key, scene.shown.shared(key), scene.shown.sharedIdentity(key));
    out.alignment = scene.alignment;
    return out;
}

CandidateSide sideOf(const Scene& scene, CandidateSide::Kind kind, std::string name,
                     std::vector<ReportKey> reports)
{
    std::ranges::sort(reports);
    CandidateSide side{kind, std::move(name), std::move(reports), {}, {}};
    const Scene own = part(scene, side.reports);
    const SideSteps steps(own);
    for (const auto& [number, range] : steps.ranges())
        side.steps.push_back(number);
    std::ranges::stable_sort(side.steps, {}, [&](int64_t step) { return steps.ranges().at(step).begin; });
    for (const ReportKey key : side.reports) {
        const Identity& identity = scene.shown.identity(key);
        if (identity.rank.value)
            side.workers.emplace_back(identity.role.value.value_or(""), *identity.rank.value);
    }
    std::ranges::sort(side.workers);
    return side;
}

using Parts = std::map<std::string, std::vector<ReportKey>>;

Parts partsBy(const Scene& scene, const auto& nameOf)
{
    Parts parts;
    for (const ReportKey key : scene.shown.keys())
        parts[nameOf(key)].push_back(key);
    return parts;
}

} // namespace

bool CandidateSide::repeats(const CandidateSide& other) const
{
    const auto isItsWorker = [&](const auto& worker) {
        return std::ranges::binary_search(other.workers, worker);
    };
    if (std::ranges::none_of(workers, isItsWorker)) return false;
    std::vector<int64_t> otherSteps = other.steps; // sorted by start
    std::ranges::sort(otherSteps);
    const auto isItsStep = [&](int64_t step) { return std::ranges::binary_search(otherSteps, step); };
    return (steps.empty() && otherSteps.empty()) || std::ranges::any_of(steps, isItsStep);
}

Result<std::vector<CandidateSide>> candidateSides(const Scene& scene, const Progress& progress,
                                                  const std::vector<std::vector<ReportKey>>& requested)
{
    std::vector<CandidateSide> out;
    const std::vector<ReportKey>& keys = scene.shown.keys();
    if (keys.empty()) return out;
    out.push_back(sideOf(scene, CandidateSide::Kind::all, {}, keys));
    const auto add = [&](CandidateSide::Kind kind, const Parts& parts) -> Status {
        for (const auto& [name, reports] : parts) {
            LOCKSTEP_TRY(progress.check());
            out.push_back(sideOf(scene, kind, name, reports));
        }
        return {};
    };
    std::vector<std::filesystem::path> paths;
    for (const ReportKey key : keys)
        paths.push_back(scene.shown.report(key).provenance.path);
    const auto fileName = [&, labels = pathLabels(paths)](ReportKey key) {
        return labels[static_cast<size_t>(std::ranges::lower_bound(keys, key) - keys.begin())];
    };
    const Parts runs = partsBy(
        scene, [&](ReportKey key) { return scene.shown.identity(key).run.value.value_or(std::string()); });
    const Parts folders = partsBy(
        scene, [&](ReportKey key) { return scene.shown.report(key).provenance.path.parent_path().string(); });
    if (runs.size() > 1) {
        LOCKSTEP_TRY(add(CandidateSide::Kind::run, runs));
    } else if (folders.size() > 1) {
        LOCKSTEP_TRY(add(CandidateSide::Kind::folder, folders));
    }
    if (keys.size() > 1 && keys.size() <= kMaxReports) {
        for (const ReportKey key : keys) {
            LOCKSTEP_TRY(progress.check());
            out.push_back(sideOf(scene, CandidateSide::Kind::report, fileName(key), {key}));
        }
    }
    for (std::vector<ReportKey> side : requested) {
        std::erase_if(side, [&](ReportKey key) { return !scene.shown.has(key); });
        std::ranges::sort(side);
        if (side.empty() || std::ranges::find(out, side, &CandidateSide::reports) != out.end()) continue;
        const bool isOne = side.size() == 1;
        out.push_back(sideOf(scene, isOne ? CandidateSide::Kind::report : CandidateSide::Kind::chosen,
                             isOne ? fileName(side.front()) : std::string(), side));
    }
    return out;
}

std::optional<int64_t> stepAt(const Scene& scene, TraceTime at)
{
    const SideSteps steps(scene);
    for (const auto& [number, range] : steps.ranges())
        if (range.contains(at)) return number;
    return std::nullopt;
}

Result<ScenePtr> sceneOfReports(const ScenePtr& scene, const std::vector<ReportKey>& reports,
                                const Progress& progress)
{
    SceneChange change;
    for (const ReportKey key : scene->shown.keys())
        if (std::ranges::find(reports, key) == reports.end()) change.shown[key] = false;
    if (change.shown.empty()) return scene;
    if (!scene->laneOptions.queryLanes.empty()) // they show rows of all reports
        change.laneOptions = LaneOptions{
            .grouping = scene->laneOptions.grouping, .queryLanes = {}, .samples = scene->laneOptions.samples};
    return nextScene(scene, change, progress);
}

SideSteps::SideSteps(const Scene& scene) : m_scene(scene)
{
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        const ClockMap& clock = scene.alignment.map(key);
        for (const Track& track : report.tracks) {
            const auto [at, isNew] = m_of.try_emplace({key, track.key.process});
            if (!isNew) continue;
            Of& of = at->second;
            of.marked = ProcessSteps(report, track.key.process);
            for (const StepMark& mark : of.marked.marks()) {
                TimeRange& range = m_ranges[mark.number];
                range = range.unitedWith(clock.alignedFromTrace(mark.range));
            }
            const auto& stated = scene.shown.identity(key, track.key.process).step.value;
            if (!of.marked.marks().empty() || !stated || report.extent.isEmpty()) continue;
            of.stated = *stated;
            TimeRange& range = m_ranges[*stated];
            range = range.unitedWith(clock.alignedFromTrace(report.extent));
        }
    }
}

const SideSteps::Of& SideSteps::of(TrackRef track) const
{
    return m_of.at({track.report, m_scene.shown.report(track.report).track(track.track).key.process});
}

bool SideSteps::isStepped(TrackRef track) const
{
    const Of& at = of(track);
    return at.stated || !at.marked.marks().empty();
}

std::optional<int64_t> SideSteps::stepOf(TrackRef track, SliceId slice) const
{
    const Of& at = of(track);
    if (at.marked.marks().empty()) return at.stated;
    const int step = at.marked.at(stepReferenceTime(m_scene.shown.report(track.report), slice));
    if (step < 0) return std::nullopt;
    return at.marked.marks()[static_cast<size_t>(step)].number;
}

bool SideSteps::isNamedAsStep(TrackRef track, SliceId slice) const
{
    const Of& at = of(track);
    if (at.marked.marks().empty()) return false;
    const Report& report = m_scene.shown.report(track.report);
    const int step = at.marked.at(stepReferenceTime(report, slice));
    if (step < 0) return false;
    const SliceId mark = at.marked.marks()[static_cast<size_t>(step)].slice;
    return mark.isValid() && report.slices.name[mark.value] == report.slices.name[slice.value];
}

} // namespace lockstep
