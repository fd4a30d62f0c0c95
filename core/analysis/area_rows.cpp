// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/area_rows.h"

#include <algorithm>
#include <set>

#include "core/analysis/row_kinds.h"

namespace lockstep {

namespace {

const IntervalSet kNoWindows;

} // namespace

uint64_t AreaRows::rowCount() const
{
    uint64_t count = 0;
    for (const AreaRun& run : m_runs)
        count += run.count;
    return count;
}

const IntervalSet& AreaRows::windowsOf(const AreaRun& run) const
{
    if (run.window == kAllTime) return kNoWindows;
    return m_windows.at({run.report, run.track});
}

int64_t insideOf(const IntervalSet& windows, TimeRange slice)
{
    return windows.isEmpty() ? slice.length().ns : windows.lengthWithin(slice).ns;
}

class AreaRowsBuilder {
  public:
    AreaRowsBuilder(const Scene& scene, const AreaQuery& request, const Progress& progress)
        : m_scene(scene), m_request(request), m_progress(progress)
    {
    }

    Result<AreaRows> make()
    {
        findWindows();
        for (const auto& [track, windows] : m_out.m_windows) {
            TraceTime counted = kAllTime.begin;
            for (const TimeRange& window : windows.ranges()) {
                addWindow(track, window, counted);
                counted = window.end;
            }
        }
        m_progress.workers().run(m_early.size(), [&](size_t i, size_t) { findEarly(i); });
        LOCKSTEP_TRY(m_progress.check());
        for (auto& [run, rows] : m_early) {
            m_out.m_lists.push_back(std::move(rows));
            addList(run);
        }
        addPicks();
        LOCKSTEP_TRY(m_progress.check());
        std::erase_if(m_out.m_runs, [](const AreaRun& run) { return run.count == 0; });
        std::set<uint32_t> lanes;
        for (const AreaRun& run : m_out.m_runs)
            lanes.insert(run.lane);
        m_out.m_laneCount = lanes.size();
        return std::move(m_out);
    }

  private:
    void findWindows()
    {
        std::map<TrackRef, std::vector<TimeRange>> windows;
        std::vector<TimeRange> all;
        for (const Area& area : m_request.areas) {
            if (area.range.isEmpty()) continue;
            all.push_back(area.range);
            for (const uint32_t lane : lanesIn(*m_scene.tree, area)) {
                for (const RowSource& source : m_scene.tree->lane(lane).sources) {
                    if (source.kind != RowSource::Kind::track || !m_scene.shown.has(source.report)) continue;
                    const TrackRef track{source.report, source.track};
                    windows[track].push_back(
                        m_scene.alignment.map(source.report).traceFromAligned(area.range));
                    m_laneOf[track] = lane;
                }
            }
        }
        for (auto& [track, ranges] : windows)
            m_out.m_windows.emplace(track, IntervalSet::unionOf(std::move(ranges)));
        m_out.m_length = IntervalSet::unionOf(std::move(all)).length();
    }

    void addWindow(TrackRef of, TimeRange window, TraceTime counted)
    {
        const Report& report = m_scene.shown.report(of.report);
        const Track& track = report.track(of.track);
        const auto begin = report.slices.start_ns.begin() + track.firstSlice.value;
        const auto end = begin + track.sliceCount;
        const auto first = std::lower_bound(begin, end, window.begin.ns);
        const auto last = std::lower_bound(first, end, window.end.ns);
        AreaRun run{of.report, of.track, m_laneOf.at(of), window, counted};
        run.first = static_cast<uint32_t>(first - report.slices.start_ns.begin());
        run.count = static_cast<uint32_t>(last - first);
        m_out.m_runs.push_back(run);
        if (first != begin) m_early.emplace_back(run, std::vector<uint32_t>());
    }

    // Slices may cross, so any earlier row may extend into the window.
    void findEarly(size_t i)
    {
        auto& [run, rows] = m_early[i];
        const Report& report = m_scene.shown.report(run.report);
        const SliceTable& slices = report.slices;
        const uint32_t begin = report.track(run.track).firstSlice.value;
        for (uint32_t row = begin; row < run.first; ++row) {
            if (row % kRowsBetweenChecks == 0 && m_progress.isCanceled()) return;
            if (slices.start_ns[row] + slices.duration_ns[row] > run.window.begin.ns) rows.push_back(row);
        }
    }

    void addList(AreaRun run)
    {
        const std::vector<uint32_t>& rows = m_out.m_lists.back();
        run.first = 0;
        run.rows = rows.data();
        run.count = static_cast<uint32_t>(rows.size());
        m_out.m_runs.push_back(run);
    }

    void addPicks()
    {
        if (m_request.picks == nullptr) return;
        TrackRef track;
        std::vector<uint32_t> rows;
        uint32_t end = 0; // one past the track's last row
        const auto finish = [&] {
            if (rows.empty()) return;
            const uint32_t lane = m_scene.tree->laneOf(track);
            m_out.m_lists.push_back(std::exchange(rows, {}));
            addList({track.report, track.track, lane, kAllTime});
        };
        for (const SliceRef& pick : *m_request.picks) {
            if (!m_scene.holds(pick)) continue;
            const Report& report = m_scene.shown.report(pick.report);
            if (pick.report != track.report || pick.slice.value >= end) {
                finish();
                track = {pick.report, report.trackOf(pick.slice)};
                const Track& of = report.track(track.track);
                end = of.firstSlice.value + of.sliceCount;
            }
            if (!isInAreas(track, report.slices.range(pick.slice))) rows.push_back(pick.slice.value);
        }
        finish();
    }

    bool isInAreas(TrackRef track, TimeRange slice) const
    {
        const auto windows = m_out.m_windows.find(track);
        if (windows == m_out.m_windows.end()) return false;
        if (!slice.isEmpty()) return windows->second.lengthWithin(slice).ns > 0;
        return std::ranges::any_of(windows->second.ranges(),
                                   [&](TimeRange window) { return window.contains(slice.begin); });
    }

    const Scene& m_scene;
    const AreaQuery& m_request;
    const Progress& m_progress;
    std::map<TrackRef, uint32_t> m_laneOf;
    std::vector<std::pair<AreaRun, std::vector<uint32_t>>> m_early;
    AreaRows m_out;
};

Result<AreaRows> areaRowsOf(const Scene& scene, const AreaQuery& request, const Progress& progress)
{
    return AreaRowsBuilder(scene, request, progress).make();
}

} // namespace lockstep
