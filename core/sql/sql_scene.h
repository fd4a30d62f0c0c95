// SPDX-License-Identifier: Apache-2.0
// SqlScene: what the tables of the query language read: a scene's shown reports, with what is known of each
// track's owner looked up once, and the ids by which rows of all reports are told apart. Made for one
// connection, used by its thread.
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

// Of a row of one of a report's tables: its key above 32 bits of row. The same while the report is open.
constexpr int64_t sqlId(ReportKey report, uint32_t row)
{
    return static_cast<int64_t>(report.value) << 32 | row;
}
// NULL for an invalid row.
template<class Tag>
SqlValue sqlIdValue(ReportKey report, Id<Tag> row)
{
    return row.isValid() ? SqlValue::of(sqlId(report, row.value)) : SqlValue::none();
}
inline ReportKey reportOfSqlId(int64_t id)
{
    return ReportKey(static_cast<uint32_t>(static_cast<uint64_t>(id) >> 32));
}
inline uint32_t rowOfSqlId(int64_t id)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(id) & 0xFFFFFFFFu);
}

// One track and whose it is.
struct SqlTrack {
    ReportKey key;
    TrackId id;
    const Report* report = nullptr;
    const ClockMap* map = nullptr;
    const Identity* identity = nullptr; // of its process, else of its report

    const Track& track() const { return report->track(id); }
};

// Rows of a table that is small enough to be held: cell by cell.
struct SqlHeldRows {
    std::vector<int64_t> ids;                // rising where the table has ids
    std::vector<std::vector<SqlValue>> rows; // cells in the order of the table's columns
};

class SqlScene {
  public:
    explicit SqlScene(ScenePtr scene);

    const Scene& scene() const { return *m_scene; }
    const Workspace& shown() const { return m_scene->shown; }
    // By report, then as the report has them.
    const std::vector<SqlTrack>& tracks() const { return m_tracks; }
    std::span<const SqlTrack> tracksOf(ReportKey report) const;
    // Of all shown reports.
    uint64_t sliceCount() const { return m_slices; }
    uint64_t linkCount() const { return m_links; }
    uint64_t sampleCount() const { return m_samples; }

    // The slice of an id; invalid where no shown report has it.
    SliceRef sliceOf(int64_t id) const;
    // A text that a held row shows, kept as long as this.
    std::string_view keep(std::string text) const { return m_texts.emplace_back(std::move(text)); }
    // The rows of a held table, made at its first use.
    const SqlHeldRows& held(const SqlTable& table, SqlHeldRows (*make)(const SqlScene&)) const;

  private:
    ScenePtr m_scene;
    std::vector<SqlTrack> m_tracks;
    ByReport<std::pair<size_t, size_t>> m_tracksOf; // first, count
    uint64_t m_slices = 0, m_links = 0, m_samples = 0;
    mutable std::deque<std::string> m_texts;
    mutable std::map<std::string_view, SqlHeldRows> m_held; // by table
};

// A stamp of a report on the aligned axis.
inline int64_t alignedStamp(const ClockMap& map, int64_t stamp_ns)
{
    return map.alignedFromTrace(TraceTime{stamp_ns}).ns;
}

// Conditions on times and ids as whole numbers, widened where they are none.
struct SqlBounds {
    int64_t least = std::numeric_limits<int64_t>::min();
    int64_t most = std::numeric_limits<int64_t>::max();

    bool holds(int64_t value) const { return least <= value && value <= most; }
    bool isAll() const
    {
        return least == std::numeric_limits<int64_t>::min() && most == std::numeric_limits<int64_t>::max();
    }
};

// What all conditions of one key leave. Values that are no numbers leave everything.
SqlBounds sqlBoundsOf(std::span<const SqlCondition> conditions, SqlKey key);
// The text that a column must equal; absent where no condition says so.
std::optional<std::string_view> sqlTextOf(std::span<const SqlCondition> conditions, SqlKey key);

} // namespace lockstep
