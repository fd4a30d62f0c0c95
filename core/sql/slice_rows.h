// SPDX-License-Identifier: Apache-2.0
// SliceRows: a pass over slices of some kinds: what the tables slice, kernel, memcpy, range and api are.
// Whole tracks are left out by report, rank, track and name, their rows by time through binary search. One
// thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "core/sql/sql_scene.h"

namespace lockstep {

// What SqlColumn::field says in these tables.
enum class SliceField : uint8_t {
    id,
    report,
    process,
    thread,
    device,
    track,
    stream,
    context,
    host,
    role,
    rank,
    step,
    name,
    shortName,
    domain,
    start,
    end,
    duration,
    reportStart,
    kind,
    category,
    depth,
    parent,
    instant,
    open,
    bytes,
    copyKind,
    sourceKind,
    destinationKind,
    sourceTable,
    sourceRow
};

// Kinds of rows, a bit each.
using RowKindMask = uint32_t;
static_assert(static_cast<int>(RowKind::count) <= 32);

class SliceRows final : public SqlRows {
  public:
    SliceRows(const SqlScene& scene, RowKindMask kinds, std::span<const SqlCondition> conditions,
              const Progress& progress);

    bool next() override;
    // To one slice, wherever it stood before; false where the scene has none of that id and these kinds.
    bool stand(int64_t id);
    SqlValue value(const SqlColumn& column) const override;
    int64_t rowId() const override { return sqlId(m_track->key, m_row); }

    const Report& report() const { return *m_report; }
    SliceId slice() const { return SliceId(m_row); }

  private:
    bool isOfKind(const Report& report, uint32_t row) const
    {
        return (m_kinds >> static_cast<int>(report.slices.kind[row]) & 1) != 0;
    }
    bool nextTrack();
    bool isLetThrough(const SqlTrack& track);
    SqlValue ownerValue(const SqlColumn& column) const;
    SqlValue memoryValue(const SqlColumn& column) const;

    const SqlScene& m_scene;
    RowKindMask m_kinds;
    const Progress& m_progress;
    SqlBounds m_ids, m_reports, m_ranks, m_tracks, m_starts, m_ends;
    std::optional<std::string> m_name;

    size_t m_at = 0; // the track after this one
    const SqlTrack* m_track = nullptr;
    const Report* m_report = nullptr;
    const Report* m_namedIn = nullptr; // the report of m_nameId
    StringId m_nameId;
    uint32_t m_row = 0, m_last = 0;
    bool m_isDone = false; // of a pass to one id
};

// The tables of slices, in the order of the documentation.
std::span<const SqlTable> sliceSqlTables();
// The same pass with the rows of one name together, names in rising order of their bytes. Takes 8 bytes a
// row.
std::unique_ptr<SqlRows> openGroupedSlices(const SqlScene& scene, RowKindMask kinds,
                                           std::span<const SqlCondition> conditions,
                                           const Progress& progress);

} // namespace lockstep
