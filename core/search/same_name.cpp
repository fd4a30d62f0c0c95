// SPDX-License-Identifier: Apache-2.0
#include "core/search/same_name.h"

#include <algorithm>

namespace lockstep {

namespace {

// Returns the same name in a different report; nullopt if it does not occur there.
std::optional<NameSet> nameIn(const Report& report, std::string_view name)
{
    const StringId id = report.strings.find(name);
    return id.isValid() ? std::optional(NameSet({id}, report.strings.size())) : std::nullopt;
}

uint64_t countOn(const Scene& scene, TrackRef ref, const NameSet& name)
{
    const Report& report = scene.shown.report(ref.report);
    const Track& track = report.track(ref.track);
    const NameIndex& index = scene.lods[ref.report]->names();
    return index.countBefore(report, name, track.firstSlice.value + track.sliceCount) -
           index.countBefore(report, name, track.firstSlice.value);
}

// The reports that can be in a scope.
class ScopeTracks {
  public:
    ScopeTracks(const Scene& scene, SliceRef of)
        : m_scene(scene), m_of(of), m_report(scene.shown.report(of.report)),
          m_track(m_report.trackOf(of.slice))
    {
    }

    std::vector<TrackRef> of(NameScope scope) const
    {
        if (scope == NameScope::lane) return onLane();
        std::vector<TrackRef> out;
        for (const ReportKey key : m_scene.shown.keys()) {
            const Report& report = m_scene.shown.report(key);
            for (size_t i = 0; i < report.tracks.size(); ++i) {
                const Track& track = report.tracks[i];
                if (track.sliceCount == 0) continue;
                if (scope == NameScope::everywhere || isOfRank(key, track.key.process))
                    out.push_back({key, TrackId(i)});
            }
        }
        return out;
    }

  private:
    std::vector<TrackRef> onLane() const
    {
        const uint32_t lane = m_scene.tree->laneOf({m_of.report, m_track});
        if (lane == kNoLane) return {{m_of.report, m_track}};
        std::vector<TrackRef> out;
        for (const RowSource& source : m_scene.tree->lane(lane).sources) {
            if (source.kind == RowSource::Kind::track) out.push_back({source.report, source.track});
        }
        std::ranges::sort(out);
        out.erase(std::ranges::unique(out).begin(), out.end());
        return out;
    }

    bool isOfRank(ReportKey key, ProcessId process) const
    {
        const ProcessId own = m_report.track(m_track).key.process;
        const Identity& a = m_scene.shown.identity(m_of.report, own);
        const Identity& b = m_scene.shown.identity(key, process);
        if (!a.rank.value) return key == m_of.report && process == own;
        return a.rank.value == b.rank.value && a.role.value == b.role.value && a.run.value == b.run.value;
    }

    const Scene& m_scene;
    const SliceRef m_of;
    const Report& m_report;
    const TrackId m_track;
};

std::string_view nameOf(const Scene& scene, SliceRef of)
{
    return scene.shown.report(of.report).nameOf(of.slice);
}

} // namespace

NameCounts countSameName(const Scene& scene, SliceRef of)
{
    const ScopeTracks tracks(scene, of);
    const auto count = [&](NameScope scope) {
        uint64_t out = 0;
        ReportKey last;
        std::optional<NameSet> name;
        for (const TrackRef& track : tracks.of(scope)) {
            if (track.report != last) name = nameIn(scene.shown.report(track.report), nameOf(scene, of));
            last = track.report;
            if (name) out += countOn(scene, track, *name);
        }
        return out;
    };
    return {count(NameScope::lane), count(NameScope::rank),
            countNamed(scene, {std::string(nameOf(scene, of))})};
}

uint64_t countNamed(const Scene& scene, const std::vector<std::string>& names)
{
    uint64_t out = 0;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        for (const std::string& name : names) {
            if (const auto id = nameIn(report, name)) out += scene.lods[key]->names().count(*id);
        }
    }
    return out;
}

Result<SameNameSlices> slicesOfSameName(const Scene& scene, SliceRef of, NameScope scope, uint64_t most,
                                        const Progress& progress)
{
    std::vector<SliceRef> slices;
    SameNameSlices out;
    ReportKey last;
    std::optional<NameSet> name;
    for (const TrackRef& ref : ScopeTracks(scene, of).of(scope)) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = scene.shown.report(ref.report);
        if (ref.report != last) name = nameIn(report, nameOf(scene, of));
        last = ref.report;
        if (!name) continue;
        out.count += countOn(scene, ref, *name);
        const Track& track = report.track(ref.track);
        const uint32_t end = track.firstSlice.value + track.sliceCount;
        const NameIndex& index = scene.lods[ref.report]->names();
        auto next = index.firstFrom(report, *name, track.firstSlice.value);
        while (next && next->value < end && slices.size() < most) {
            slices.push_back({ref.report, *next});
            if (slices.size() % 65'536 == 0) LOCKSTEP_TRY(progress.check());
            next = index.firstFrom(report, *name, next->value + 1);
        }
    }
    out.slices = sliceListOf(std::move(slices));
    return out;
}

} // namespace lockstep
