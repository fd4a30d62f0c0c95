// SPDX-License-Identifier: Apache-2.0
#include "core/sql/slice_rows.h"

#include <algorithm>
#include <vector>

namespace lockstep {

namespace {

// Returns a lower bound for the position of slices that extend to `at`. Slices at one depth never overlap. At
// each depth, only the last slice that begins before `at` can therefore extend to `at`.
uint32_t firstReaching(const Report& report, const Track& track, uint32_t at)
{
    std::vector<bool> isSeen(track.depthCount);
    size_t left = track.depthCount;
    uint32_t first = at;
    while (first > track.firstSlice.value && left > 0) {
        --first;
        const size_t depth = report.slices.depth[first];
        if (depth < isSeen.size() && !isSeen[depth]) {
            isSeen[depth] = true;
            --left;
        }
    }
    return first;
}

int64_t stampBefore(const ClockMap& map, int64_t aligned_ns)
{
    constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
    if (aligned_ns == kFirst) return kFirst;
    // The inverse mapping is accurate to 1 ns.
    return std::max(map.traceFromAligned(TraceTime{aligned_ns}).ns, kFirst + 2) - 2;
}

int64_t stampBehind(const ClockMap& map, int64_t aligned_ns)
{
    constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
    if (aligned_ns == kLast) return kLast;
    return std::min(map.traceFromAligned(TraceTime{aligned_ns}).ns, kLast - 2) + 2;
}

} // namespace

SliceRows::SliceRows(const SqlScene& scene, RowKinds kinds, std::span<const SqlCondition> conditions,
                     const Progress& progress)
    : m_scene(scene), m_kinds(kinds), m_progress(progress), m_ids(sqlBoundsOf(conditions, SqlKey::id)),
      m_reports(sqlBoundsOf(conditions, SqlKey::report)), m_ranks(sqlBoundsOf(conditions, SqlKey::rank)),
      m_tracks(sqlBoundsOf(conditions, SqlKey::track)), m_starts(sqlBoundsOf(conditions, SqlKey::start)),
      m_ends(sqlBoundsOf(conditions, SqlKey::end))
{
    if (const auto name = sqlTextOf(conditions, SqlKey::name)) m_name = std::string(*name);
}

bool SliceRows::next()
{
    if (m_ids.least >= m_ids.most) {
        if (m_isDone || m_ids.least > m_ids.most) return false;
        m_isDone = true;
        return seekTo(m_ids.least);
    }
    for (;;) {
        if (++m_row >= m_last) {
            if (!nextTrack()) return false;
            continue;
        }
        if ((m_row & 0xFFFF) == 0 && m_progress.isCanceled()) return false;
        if (!isOfKind(*m_report, m_row)) continue;
        if (m_name && m_report->slices.name[m_row] != m_nameId) continue;
        return true;
    }
}

bool SliceRows::seekTo(int64_t id)
{
    const SliceRef slice = m_scene.sliceOf(id);
    if (!slice.isValid()) return false;
    const Report& report = m_scene.shown().report(slice.report);
    if (!isOfKind(report, slice.slice.value)) return false;
    m_row = slice.slice.value;
    const bool isThere = m_track != nullptr && m_report == &report &&
                         m_row - m_track->track().firstSlice.value < m_track->track().sliceCount;
    if (!isThere) m_track = &m_scene.tracksOf(slice.report)[report.trackOf(slice.slice).value];
    m_report = &report;
    return true;
}

bool SliceRows::passesFilter(const SqlTrack& track)
{
    if (track.track().sliceCount == 0 || !m_reports.holds(track.key.value)) return false;
    if (!m_tracks.holds(sqlId(track.key, track.id.value))) return false;
    const auto& rank = track.identity->rank.value;
    if (!m_ranks.isAll() && !(rank && m_ranks.holds(*rank))) return false;
    if (!m_name) return true;
    if (std::exchange(m_namedIn, track.report) != track.report)
        m_nameId = track.report->strings.find(*m_name);
    return m_nameId.isValid();
}

bool SliceRows::nextTrack()
{
    while (m_at < m_scene.tracks().size() && !m_progress.isCanceled()) {
        const SqlTrack& track = m_scene.tracks()[m_at++];
        if (!passesFilter(track)) continue;
        const Report& report = *track.report;
        const uint32_t begin = track.track().firstSlice.value, end = begin + track.track().sliceCount;
        const int64_t* const starts = report.slices.start_ns.data();
        const auto firstFrom = [&](int64_t stamp_ns) {
            return static_cast<uint32_t>(std::lower_bound(starts + begin, starts + end, stamp_ns) - starts);
        };
        // A slice that ends by a given time has also begun by then; a slice that ends later may have begun
        // long before.
        const int64_t latest = stampBehind(*track.map, std::min(m_starts.most, m_ends.most));
        const auto last =
            static_cast<uint32_t>(std::upper_bound(starts + begin, starts + end, latest) - starts);
        uint32_t first = firstFrom(stampBefore(*track.map, m_starts.least));
        if (m_ends.least > m_starts.least) {
            const uint32_t at = firstFrom(stampBefore(*track.map, m_ends.least));
            first = std::max(first, firstReaching(report, track.track(), at));
        }
        if (first >= last) continue;
        m_track = &track;
        m_report = &report;
        m_row = first - 1; // next() increments it; before row 0 it wraps around
        m_last = last;
        return true;
    }
    return false;
}

SqlValue SliceRows::ownerValue(const SqlColumn& column) const
{
    const Identity& identity = *m_track->identity;
    const TrackKey& key = m_track->track().key;
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::report:
        return SqlValue::of(int64_t(m_track->key.value));
    case SliceField::process:
        return sqlIdValue(m_track->key, key.process);
    case SliceField::thread:
        return sqlIdValue(m_track->key, key.thread);
    case SliceField::device:
        return sqlIdValue(m_track->key, key.device);
    case SliceField::track:
        return sqlIdValue(m_track->key, m_track->id);
    case SliceField::stream:
        return SqlValue::of(key.lane);
    case SliceField::context:
        return SqlValue::of(key.context);
    case SliceField::host:
        return identity.host.value ? SqlValue::of(std::string_view(*identity.host.value)) : SqlValue::none();
    case SliceField::role:
        return identity.role.value ? SqlValue::of(std::string_view(*identity.role.value)) : SqlValue::none();
    case SliceField::rank:
        return identity.rank.value ? SqlValue::of(int64_t(*identity.rank.value)) : SqlValue::none();
    case SliceField::step:
        return identity.step.value ? SqlValue::of(int64_t(*identity.step.value)) : SqlValue::none();
    default:
        return SqlValue::said(m_report->strings.at(m_track->track().name));
    }
}

SqlValue SliceRows::memoryValue(const SqlColumn& column) const
{
    const MemoryOp* const op = m_report->memoryOpOf(SliceId(m_row));
    if (op == nullptr) return SqlValue::none();
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::bytes:
        return SqlValue::of(static_cast<int64_t>(op->size_bytes));
    case SliceField::copyKind:
        return SqlValue::of(copyKindName(op->kind));
    case SliceField::sourceKind:
        return op->source == MemoryKind::unknown ? SqlValue::none()
                                                 : SqlValue::of(memoryKindName(op->source));
    default:
        return op->destination == MemoryKind::unknown ? SqlValue::none()
                                                      : SqlValue::of(memoryKindName(op->destination));
    }
}

SqlValue SliceRows::value(const SqlColumn& column) const
{
    const SliceTable& slices = m_report->slices;
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::id:
        return SqlValue::of(rowId());
    case SliceField::name:
        return SqlValue::of(m_report->strings.at(slices.name[m_row]));
    case SliceField::shortName:
        return SqlValue::of(m_report->shortNameOf(SliceId(m_row)));
    case SliceField::start:
        return SqlValue::of(alignedStamp(*m_track->map, slices.start_ns[m_row]));
    case SliceField::end:
        return SqlValue::of(alignedStamp(*m_track->map, slices.start_ns[m_row] + slices.duration_ns[m_row]));
    case SliceField::duration:
        return SqlValue::of(slices.duration_ns[m_row]);
    case SliceField::reportStart:
        return SqlValue::of(slices.start_ns[m_row]);
    case SliceField::kind:
        return SqlValue::of(rowKindName(slices.kind[m_row]));
    case SliceField::category:
        return SqlValue::of(sliceCategoryName(slices.category[m_row]));
    case SliceField::depth:
        return SqlValue::of(int64_t(slices.depth[m_row]));
    case SliceField::parent:
        return sqlIdValue(m_track->key, slices.parent[m_row]);
    case SliceField::instant:
        return SqlValue::of(int64_t((slices.flags[m_row] & sliceFlag::kInstant) != 0));
    case SliceField::open:
        return SqlValue::of(int64_t((slices.flags[m_row] & sliceFlag::kOpenEnd) != 0));
    case SliceField::bytes:
    case SliceField::copyKind:
    case SliceField::sourceKind:
    case SliceField::destinationKind:
        return memoryValue(column);
    case SliceField::sourceTable: {
        const size_t table = slices.source[m_row].table();
        return table < m_report->sourceTables.size() ? SqlValue::said(m_report->sourceTables[table])
                                                     : SqlValue::none();
    }
    case SliceField::sourceRow:
        return SqlValue::of(static_cast<int64_t>(slices.source[m_row].row()));
    default:
        return ownerValue(column);
    }
}

} // namespace lockstep
