// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/hit_rows.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr uint32_t kOneRow = ~uint32_t(0);

} // namespace

Result<std::shared_ptr<const HitRows>>
HitRows::make(const ScenePtr& scene, std::shared_ptr<const EventHits> hits, const Progress& progress)
{
    auto rows = std::make_shared<HitRows>();
    rows->m_hits = std::move(hits);
    rows->m_tree = scene->tree;
    rows->m_parts = ByReport<std::shared_ptr<Part>>(scene->shown.slotCount());
    rows->m_range = scene->extent();
    rows->m_ticks.assign(kTicks, false);
    const std::vector<ReportKey>& keys = scene->shown.keys();
    progress.workers().run(keys.size(), [&](size_t i, size_t) {
        if (rows->m_hits->isOf(keys[i])) rows->sortRows(*scene, keys[i], progress);
    });
    LOCKSTEP_TRY(progress.check());
    for (const ReportKey key : keys) {
        LOCKSTEP_TRY(progress.check());
        if (rows->m_hits->isOf(key)) rows->markTicks(*scene, key);
    }
    rows->countLanes(*scene);
    return std::shared_ptr<const HitRows>(std::move(rows));
}

// Tracks with one row keep the order of slices. On other tracks, each depth has its own contiguous range
// within the track's bits.
void HitRows::sortRows(const Scene& scene, ReportKey key, const Progress& progress)
{
    const Report& report = scene.shown.report(key);
    const HitBits& bits = m_hits->bitsOf(key);
    auto part = std::make_shared<Part>();
    part->firstDepth.assign(report.tracks.size(), kOneRow);
    for (const Track& track : report.tracks)
        part->firstSlice.push_back(track.firstSlice.value);
    bool hasAny = false;
    for (size_t i = 0; i < report.tracks.size() && !progress.isCanceled(); ++i) {
        const Track& track = report.tracks[i];
        if (track.depthCount < 2 || m_hits->countOf(key, track) == 0) continue;
        if (!hasAny) part->rows = HitBits(bits.rows());
        hasAny = true;
        part->firstDepth[i] = static_cast<uint32_t>(part->depthBegin.size());
        uint32_t begin = track.firstSlice.value;
        for (uint16_t depth = 0; depth < track.depthCount; ++depth) {
            const LodRow row = scene.lods[key]->slices().row(report, TrackId(i), depth);
            part->depthBegin.push_back(begin);
            for (uint32_t position = 0; position < row.count(); ++position) {
                if (bits.has(row.sliceAt(position).value)) part->rows.set(begin + position);
            }
            begin += row.count();
        }
    }
    if (hasAny) part->rows.finish();
    sortProjections(*scene.lods[key], bits, *part);
    m_parts[key] = std::move(part);
}

void HitRows::sortProjections(const ReportLod& lod, const HitBits& bits, Part& part)
{
    uint32_t count = 0;
    for (const RangeProjection& projection : lod.projections()) {
        std::vector<uint32_t>& begins = part.projectionBegin.emplace_back();
        for (uint16_t depth = 0; depth < projection.depthCount(); ++depth) {
            begins.push_back(count);
            count += projection.row(depth).count();
        }
    }
    part.projected = HitBits(count);
    uint32_t position = 0;
    for (const RangeProjection& projection : lod.projections()) {
        for (uint16_t depth = 0; depth < projection.depthCount(); ++depth) {
            const LodRow row = projection.row(depth);
            for (uint32_t i = 0; i < row.count(); ++i, ++position) {
                if (bits.has(row.sliceAt(i).value)) part.projected.set(position);
            }
        }
    }
    part.projected.finish();
}

HitRows::Row HitRows::projectionRow(ReportKey report, uint32_t projection, uint16_t depth) const
{
    if (!m_parts.has(report) || m_parts[report] == nullptr) return {};
    const Part& part = *m_parts[report];
    return {&part.projected, part.projectionBegin[projection][depth]};
}

HitRows::Row HitRows::row(ReportKey report, TrackId track, uint16_t depth) const
{
    if (!m_parts.has(report) || m_parts[report] == nullptr) return {};
    const Part& part = *m_parts[report];
    const uint32_t first = part.firstDepth[track.value];
    if (first != kOneRow) return {&part.rows, part.depthBegin[first + depth]};
    return {&m_hits->bitsOf(report), part.firstSlice[track.value]};
}

std::optional<uint64_t> HitRows::countOf(const LaneTree& tree, uint32_t lane) const
{
    if (&tree != m_tree.get() || m_counts[lane] < 0) return std::nullopt;
    return static_cast<uint64_t>(m_counts[lane]);
}

void HitRows::countLanes(const Scene& scene)
{
    const LaneTree& tree = *scene.tree;
    m_counts.assign(tree.size(), -1);
    m_ends.assign(tree.size(), 0);
    for (auto lane = static_cast<uint32_t>(tree.size()); lane-- > 0;) {
        for (const RowSource& source : tree.lane(lane).sources) {
            if (source.kind != RowSource::Kind::track || !m_hits->isOf(source.report)) continue;
            const Track& track = scene.shown.report(source.report).track(source.track);
            const uint32_t count = m_hits->countOf(source.report, track);
            m_counts[lane] = std::max<int64_t>(m_counts[lane], 0) + count;
            if (count > 0) m_tracks.emplace_back(lane, TrackRef{source.report, source.track});
        }
        m_ends[lane] = std::max(m_ends[lane], lane + 1);
        const uint32_t parent = tree.parentOf(lane); // parents precede their children
        if (parent != kNoLane) m_ends[parent] = std::max(m_ends[parent], m_ends[lane]);
        if (parent != kNoLane && m_counts[lane] >= 0)
            m_counts[parent] = std::max<int64_t>(m_counts[parent], 0) + m_counts[lane];
    }
}

// Advances from hit to hit, at most one per pixel.
void HitRows::markTrack(const Scene& scene, TrackRef ref, const PixelScale& scale,
                        std::vector<bool>& pixels) const
{
    const Report& report = scene.shown.report(ref.report);
    const Track& track = report.track(ref.track);
    const HitBits& bits = m_hits->bitsOf(ref.report);
    const int64_t* const starts = report.slices.start_ns.data();
    const size_t end = track.firstSlice.value + size_t(track.sliceCount);
    const auto startingAt = [&](TraceTime t, size_t from) {
        return static_cast<size_t>(std::lower_bound(starts + from, starts + end, t.ns) - starts);
    };
    size_t row = bits.firstFrom(startingAt(scale.range().begin, track.firstSlice.value), end);
    while (row < end && starts[row] < scale.range().end.ns) {
        const int x = scale.pixelOf({starts[row]});
        pixels[static_cast<size_t>(x)] = true;
        row = bits.firstFrom(startingAt(scale.startOf(x + 1), row + 1), end);
    }
    const SliceLod& lod = scene.lods[ref.report]->slices();
    for (uint16_t depth = 0; depth < track.depthCount && !pixels[0]; ++depth) {
        const LodRow own = lod.row(report, ref.track, depth);
        const uint32_t at = own.firstReaching(scale.range().begin.ns);
        if (at < own.count() && own.start(at) < scale.range().begin.ns)
            pixels[0] = has({ref.report, own.sliceAt(at)});
    }
}

std::vector<uint16_t> HitRows::hitPixelsInSubtree(const Scene& scene, uint32_t lane,
                                                  const ByReport<PixelScale>& scales) const
{
    std::vector<uint16_t> out;
    if (scene.tree != m_tree) return out;
    std::vector<bool> pixels;
    const auto first =
        std::ranges::partition_point(m_tracks, [&](const auto& t) { return t.first >= m_ends[lane]; });
    for (auto track = first; track != m_tracks.end() && track->first >= lane; ++track) {
        const PixelScale& scale = scales[track->second.report];
        pixels.resize(static_cast<size_t>(scale.width()), false);
        markTrack(scene, track->second, scale, pixels);
    }
    for (size_t x = 0; x < pixels.size(); ++x) {
        if (pixels[x]) out.push_back(static_cast<uint16_t>(x));
    }
    return out;
}

void HitRows::markTicks(const Scene& scene, ReportKey key)
{
    if (m_range.isEmpty()) return;
    const Report& report = scene.shown.report(key);
    const ClockMap& map = scene.alignment.map(key);
    const HitBits& bits = m_hits->bitsOf(key);
    const auto tickOf = [&](size_t row) {
        const int64_t at = map.alignedFromTrace(TraceTime{report.slices.start_ns[row]}).ns - m_range.begin.ns;
        const auto tick = static_cast<int64_t>(__int128(at) * int64_t(kTicks) / m_range.length().ns);
        return std::clamp<int64_t>(tick, 0, int64_t(kTicks) - 1);
    };
    for (const Track& track : report.tracks) {
        const size_t end = track.firstSlice.value + size_t(track.sliceCount);
        if (track.sliceCount == 0 || m_hits->countOf(key, track) == 0) continue;
        for (size_t row = bits.firstFrom(track.firstSlice.value, end); row < end;) {
            const int64_t tick = tickOf(row);
            m_ticks[static_cast<size_t>(tick)] = true;
            // Continues at the first slice in a later tick. If starts go backward because the clock was
            // stepped, continues with the next slice.
            size_t low = row + 1, high = map.steps.empty() ? end : low;
            while (low < high) {
                const size_t middle = low + (high - low) / 2;
                if (tickOf(middle) <= tick) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            row = bits.firstFrom(low, end);
        }
    }
}

} // namespace lockstep
