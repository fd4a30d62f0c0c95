// SPDX-License-Identifier: Apache-2.0
// SliceRows is a pass over slices of certain kinds, for the slice, kernel, memcpy, range and api tables.
// Conditions on report, rank, track and name skip entire tracks; conditions on time use binary search.
// Thread: one.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/row_kinds.h"
#include "core/sql/sql_scene.h"

namespace lockstep {

// The values of SqlColumn::field in these tables.
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

class SliceRows final : public SqlRows {
  public:
    SliceRows(const SqlScene& scene, RowKinds kinds, std::span<const SqlCondition> conditions,
              const Progress& progress);

    bool next() override;
    // Moves to a single slice. Returns false if the scene has no slice of these kinds with this ID.
    bool seekTo(int64_t id);
    SqlValue value(const SqlColumn& column) const override;
    int64_t rowId() const override { return sqlId(m_track->key, m_row); }

    const Report& report() const { return *m_report; }
    SliceId slice() const { return SliceId(m_row); }

  private:
    bool isOfKind(const Report& report, uint32_t row) const
    {
        return holds(m_kinds, report.slices.kind[row]);
    }
    bool nextTrack();
    bool passesFilter(const SqlTrack& track);
    SqlValue ownerValue(const SqlColumn& column) const;
    SqlValue memoryValue(const SqlColumn& column) const;

    const SqlScene& m_scene;
    RowKinds m_kinds;
    const Progress& m_progress;
    SqlBounds m_ids, m_reports, m_ranks, m_tracks, m_starts, m_ends;
    std::optional<std::string> m_name;

    size_t m_at = 0; // index of the next track
    const SqlTrack* m_track = nullptr;
    const Report* m_report = nullptr;
    const Report* m_namedIn = nullptr; // report to which m_nameId belongs
    StringId m_nameId;
    uint32_t m_row = 0, m_last = 0;
    bool m_isDone = false; // for a pass that returns a single ID
};

// Returns the tables of slices in documentation order.
std::span<const SqlTable> sliceSqlTables();
// Opens a pass with rows grouped by name; names are in ascending byte order. Requires 8 bytes per row.
std::unique_ptr<SqlRows> openGroupedSlices(const SqlScene& scene, RowKinds kinds,
                                           std::span<const SqlCondition> conditions,
                                           const Progress& progress);

} // namespace lockstep
