// SPDX-License-Identifier: Apache-2.0
// CachedPass is a pass over a table that is small enough to be cached in memory: a few rows per report,
// created on first use and cached by the SqlScene. Used for the report, process, thread, device, track,
// stream, alignment and step tables. Thread: one.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "core/sql/sql_scene.h"

namespace lockstep {

// Returns the value, or NULL if it is unknown.
template<class T>
SqlValue sqlKnown(const std::optional<T>& value)
{
    if constexpr (std::is_same_v<T, std::string>) {
        return value ? SqlValue::of(std::string_view(*value)) : SqlValue::none();
    } else {
        return value ? SqlValue::of(static_cast<int64_t>(*value)) : SqlValue::none();
    }
}

inline SqlValue sqlCount(uint64_t value)
{
    return SqlValue::of(static_cast<int64_t>(value));
}

// Creates a column whose field is its position in the row.
constexpr SqlColumn cachedColumn(uint8_t place, std::string_view name, SqlType type, std::string_view doc,
                                 std::string_view unit = {}, SqlKey key = SqlKey::none,
                                 ColumnMeaning meaning = ColumnMeaning::other)
{
    return {name, type, unit, doc, key, place, meaning};
}

class CachedPass final : public SqlRows {
  public:
    CachedPass(const SqlCachedRows& cached, std::span<const SqlCondition> conditions) : m_cached(cached)
    {
        const SqlBounds ids = sqlBoundsOf(conditions, SqlKey::id);
        const auto& all = cached.ids;
        m_at = static_cast<size_t>(std::ranges::lower_bound(all, ids.least) - all.begin());
        m_end = static_cast<size_t>(std::ranges::upper_bound(all, ids.most) - all.begin());
    }

    bool next() override
    {
        if (std::exchange(m_hasBegun, true)) ++m_at;
        return m_at < m_end;
    }
    SqlValue value(const SqlColumn& of) const override { return m_cached.rows[m_at][of.field]; }
    int64_t rowId() const override { return static_cast<int64_t>(m_at); }

  private:
    const SqlCachedRows& m_cached;
    size_t m_at = 0, m_end = 0;
    bool m_hasBegun = false;
};

template<SqlCachedRows (*kMake)(const SqlScene&)>
std::unique_ptr<SqlRows> openCached(const SqlTable& table, const SqlScene& scene,
                                    std::span<const SqlCondition> conditions, bool, const Progress&)
{
    return std::make_unique<CachedPass>(scene.cached(table, kMake), conditions);
}

// Returns the report, process, thread and device tables.
std::span<const SqlTable> ownerSqlTables();
// Returns the track, stream, alignment and step tables.
std::span<const SqlTable> axisSqlTables();
// Returns the link, counter and collective tables.
std::span<const SqlTable> bulkSqlTables();
// Returns the sample, request, span, weight_version and step_value tables.
std::span<const SqlTable> sampleSqlTables();

} // namespace lockstep
