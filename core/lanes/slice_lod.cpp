// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/slice_lod.h"

#include <limits>

namespace lockstep {

namespace {

RowColumns columnsOf(const Report& report, SliceId first, uint32_t count)
{
    const SliceTable& slices = report.slices;
    return {slices.start_ns.data() + first.value, slices.duration_ns.data() + first.value,
            slices.category.data() + first.value, nullptr, count};
}

// Determines which slices on one track are drawn, for slices in order: all except those that overlap in the
// last row.
class DrawnSlices {
  public:
    explicit DrawnSlices(const Report& report) : m_slices(report.slices) {}

    bool isDrawn(uint32_t slice)
    {
        if (m_slices.depth[slice] + 1 < std::numeric_limits<uint16_t>::max()) return true;
        if (m_slices.start_ns[slice] < m_lastEnd) return false;
        m_lastEnd = m_slices.start_ns[slice] + m_slices.duration_ns[slice];
        return true;
    }

  private:
    const SliceTable& m_slices;
    int64_t m_lastEnd = std::numeric_limits<int64_t>::min();
};

} // namespace

SliceLod::SliceLod(const Report& report, const Workers& workers)
{
    m_firstRow.push_back(0);
    for (const Track& track : report.tracks)
        m_firstRow.push_back(m_firstRow.back() + track.depthCount);
    m_rows.resize(m_firstRow.back());
    workers.run(report.tracks.size(), [&](size_t track, size_t) { countTrack(report, track); });
    placeRows(report.place);
    workers.run(report.tracks.size(), [&](size_t track, size_t) { fillTrack(report, track); });
}

void SliceLod::countTrack(const Report& report, size_t track)
{
    const Track& t = report.tracks[track];
    Row* const rows = m_rows.data() + m_firstRow[track];
    DrawnSlices drawn(report);
    for (uint32_t slice = t.firstSlice.value; slice < t.firstSlice.value + t.sliceCount; ++slice) {
        if (!drawn.isDrawn(slice)) continue;
        Row& row = rows[report.slices.depth[slice]];
        ++row.count;
        row.isOutermost |= !report.slices.parent[slice].isValid();
        row.mask =
            static_cast<uint16_t>(row.mask | 1u << static_cast<unsigned>(report.slices.category[slice]));
    }
    if (t.depthCount == 1) rows[0].isWhole = true;
}

void SliceLod::placeRows(const ColumnPlace& place)
{
    uint32_t index = 0;
    RowSumsAt next;
    for (Row& row : m_rows) {
        row.at = next;
        if (!row.isWhole) {
            row.first = index;
            index += row.count;
        }
        next = sumsAfter(next, row.count, row.mask);
    }
    m_index = place.derivedColumn<uint32_t>(index);
    m_sums.start_ns = place.derivedColumn<int64_t>(next.start);
    m_sums.busy_ns = place.derivedColumn<int64_t>(next.busy);
    m_sums.longest_ns = place.derivedColumn<int64_t>(next.longest);
    m_sums.mix_ns = place.derivedColumn<int64_t>(next.mix);
}

void SliceLod::fillTrack(const Report& report, size_t track)
{
    const Track& t = report.tracks[track];
    Row* const rows = m_rows.data() + m_firstRow[track];
    RowColumns columns = columnsOf(report, t.firstSlice, t.sliceCount);
    if (t.depthCount == 1) {
        fillRowSums(columns, rows[0].mask, m_sums, rows[0].at);
        return;
    }
    std::vector<uint32_t> filled(t.depthCount, 0);
    DrawnSlices drawn(report);
    for (uint32_t i = 0; i < t.sliceCount; ++i) {
        if (!drawn.isDrawn(t.firstSlice.value + i)) continue;
        const uint16_t depth = report.slices.depth[t.firstSlice.value + i];
        m_index[rows[depth].first + filled[depth]++] = i;
    }
    for (uint16_t depth = 0; depth < t.depthCount; ++depth) {
        columns.index = m_index.data() + rows[depth].first;
        columns.count = rows[depth].count;
        fillRowSums(columns, rows[depth].mask, m_sums, rows[depth].at);
    }
}

LodRow SliceLod::row(const Report& report, TrackId track, uint16_t depth) const
{
    const Track& t = report.tracks[track.value];
    const Row& row = m_rows[m_firstRow[track.value] + depth];
    RowColumns columns = columnsOf(report, t.firstSlice, row.count);
    if (!row.isWhole) columns.index = m_index.data() + row.first;
    return LodRow(columns, row.mask, t.firstSlice, m_sums, row.at);
}

bool SliceLod::isOutermost(TrackId track, uint16_t depth) const
{
    return m_rows[m_firstRow[track.value] + depth].isOutermost;
}

size_t SliceLod::residentBytes() const
{
    return m_firstRow.capacity() * sizeof(uint32_t) + m_rows.capacity() * sizeof(Row) +
           m_index.residentBytes() + m_sums.residentBytes();
}

} // namespace lockstep
