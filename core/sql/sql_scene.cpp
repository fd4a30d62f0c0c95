// SPDX-License-Identifier: Apache-2.0
#include "core/sql/sql_scene.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

ReportKey reportOfSqlId(int64_t id)
{
    return ReportKey(static_cast<uint32_t>(static_cast<uint64_t>(id) >> 32));
}

uint32_t rowOfSqlId(int64_t id)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(id) & 0xFFFFFFFFu);
}

constexpr double kLargest = 9.2e18; // larger reals do not fit into an int64

void narrow(SqlBounds& bounds, const SqlCondition& condition)
{
    int64_t low = 0, high = 0; // the nearest integers below and above the value
    if (condition.value.type == SqlType::integer) {
        low = high = condition.value.integer;
    } else if (condition.value.type == SqlType::real && std::abs(condition.value.real) < kLargest) {
        low = static_cast<int64_t>(std::floor(condition.value.real));
        high = static_cast<int64_t>(std::ceil(condition.value.real));
    } else {
        return;
    }
    const bool hasLeast = condition.is == SqlOperator::equal || condition.is == SqlOperator::greater ||
                          condition.is == SqlOperator::atLeast;
    const bool hasMost = condition.is == SqlOperator::equal || condition.is == SqlOperator::less ||
                         condition.is == SqlOperator::atMost;
    if (hasLeast) bounds.least = std::max(bounds.least, low);
    if (hasMost) bounds.most = std::min(bounds.most, high);
}

} // namespace

SqlScene::SqlScene(ScenePtr scene) : m_scene(std::move(scene)), m_tracksOf(m_scene->shown.slotCount())
{
    for (const ReportKey key : shown().keys()) {
        const Report& report = shown().report(key);
        m_slices += report.slices.size();
        m_links += report.links.size();
        m_samples += report.counters.size();
        m_tracksOf[key] = {m_tracks.size(), report.tracks.size()};
        for (size_t i = 0; i < report.tracks.size(); ++i) {
            m_tracks.push_back({key, TrackId(i), &report, &m_scene->alignment.map(key),
                                &shown().identity(key, report.tracks[i].key.process)});
        }
    }
}

std::span<const SqlTrack> SqlScene::tracksOf(ReportKey report) const
{
    if (!shown().has(report)) return {};
    const auto& [first, count] = m_tracksOf[report];
    return std::span(m_tracks).subspan(first, count);
}

SliceRef SqlScene::sliceOf(int64_t id) const
{
    const SliceRef slice{reportOfSqlId(id), SliceId(rowOfSqlId(id))};
    return id >= 0 && m_scene->holds(slice) ? slice : SliceRef{};
}

const SqlCachedRows& SqlScene::cached(const SqlTable& table, SqlCachedRows (*make)(const SqlScene&)) const
{
    const auto found = m_cached.find(table.name);
    if (found != m_cached.end()) return found->second;
    return m_cached.emplace(table.name, make(*this)).first->second;
}

SqlBounds sqlBoundsOf(std::span<const SqlCondition> conditions, SqlKey key)
{
    SqlBounds bounds;
    for (const SqlCondition& condition : conditions) {
        if (condition.key == key) narrow(bounds, condition);
    }
    return bounds;
}

std::optional<std::string_view> sqlTextOf(std::span<const SqlCondition> conditions, SqlKey key)
{
    for (const SqlCondition& condition : conditions) {
        if (condition.key == key && condition.is == SqlOperator::equal &&
            condition.value.type == SqlType::text)
            return condition.value.text;
    }
    return std::nullopt;
}

} // namespace lockstep
