// SPDX-License-Identifier: Apache-2.0
// SqlScene is the data behind the query language's tables: a scene's visible reports, the owner of each track
// (looked up once), and IDs that are unique across reports. Created for one connection and used on its
// thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scene/scene.h"
#include "core/sql/sql_table.h"

namespace lockstep {

// Returns the ID of a row in a report's table: the report key is in the upper bits, the row in the lower 32
// bits. The ID does not change while the report is open.
constexpr int64_t sqlId(ReportKey report, uint32_t row)
{
    return static_cast<int64_t>(report.value) << 32 | row;
}
// Returns the ID, or NULL for an invalid row.
template<class Tag>
SqlValue sqlIdValue(ReportKey report, Id<Tag> row)
{
    return row.isValid() ? SqlValue::of(sqlId(report, row.value)) : SqlValue::none();
}

// SqlTrack is a track with its owner.
struct SqlTrack {
    ReportKey key;
    TrackId id;
    const Report* report = nullptr;
    const ClockMap* map = nullptr;
    const Identity* identity = nullptr; // identity of the track's process; without a process, identity of the
                                        // report

    const Track& track() const { return report->track(id); }
};

// The rows of a table small enough to hold in memory, as cells.
struct SqlCachedRows {
    std::vector<int64_t> ids;                // IDs in ascending order, if the table has IDs
    std::vector<std::vector<SqlValue>> rows; // cells in column order
};

class SqlScene {
  public:
    explicit SqlScene(ScenePtr scene);

    const Scene& scene() const { return *m_scene; }
    const Workspace& shown() const { return m_scene->shown; }
    // Returns the tracks, sorted by report, then by their order in the report.
    const std::vector<SqlTrack>& tracks() const { return m_tracks; }
    std::span<const SqlTrack> tracksOf(ReportKey report) const;
    // Returns the number of slices in all visible reports.
    uint64_t sliceCount() const { return m_slices; }
    uint64_t linkCount() const { return m_links; }
    uint64_t sampleCount() const { return m_samples; }

    // Returns the slice with this ID; invalid if no visible report contains it.
    SliceRef sliceOf(int64_t id) const;
    // Stores a string for a cached row. The returned view is valid as long as this object.
    std::string_view keep(std::string text) const { return m_texts.emplace_back(std::move(text)); }
    // Returns the rows of a cached table, which is created on first use.
    const SqlCachedRows& cached(const SqlTable& table, SqlCachedRows (*make)(const SqlScene&)) const;

  private:
    ScenePtr m_scene;
    std::vector<SqlTrack> m_tracks;
    ByReport<std::pair<size_t, size_t>> m_tracksOf; // (first, count)
    uint64_t m_slices = 0, m_links = 0, m_samples = 0;
    mutable std::deque<std::string> m_texts;
    mutable std::map<std::string_view, SqlCachedRows> m_cached; // rows, by table name
};

// Converts a report's timestamp to the aligned axis.
inline int64_t alignedTimestamp(const ClockMap& map, int64_t time_ns)
{
    return map.alignedFromTrace(TraceTime{time_ns}).ns;
}

// SqlBounds is the range of integers that conditions on times or IDs allow. A bound that is not an integer is
// rounded outward.
struct SqlBounds {
    int64_t least = std::numeric_limits<int64_t>::min();
    int64_t most = std::numeric_limits<int64_t>::max();

    bool holds(int64_t value) const { return least <= value && value <= most; }
    bool isAll() const
    {
        return least == std::numeric_limits<int64_t>::min() && most == std::numeric_limits<int64_t>::max();
    }
};

// Returns the intersection of all conditions on one key. Conditions with non-numeric values are ignored.
SqlBounds sqlBoundsOf(std::span<const SqlCondition> conditions, SqlKey key);
// Returns the string that a column must equal, or nullopt if no condition requires one.
std::optional<std::string_view> sqlTextOf(std::span<const SqlCondition> conditions, SqlKey key);

} // namespace lockstep
