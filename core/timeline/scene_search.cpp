// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/scene_search.h"

#include <algorithm>

#include "core/timeline/lane_kind.h"

namespace lockstep {

namespace {

// A lane has only a name and a path, so other conditions never match a lane.
std::vector<std::string> lanesMatching(const LaneTree& tree, const EventQuery& query)
{
    std::vector<std::string> keys;
    const auto matcher = EventMatcher::make(query);
    const bool hasOtherClauses = query.has(EventKey::argument) || query.has(EventKey::duration) ||
                                 query.has(EventKey::rank) || !query.has(EventKey::name);
    if (!matcher || hasOtherClauses) return keys;
    const NameMatcher isMatch = [&](std::string_view name) { return matcher->matchesName(name); };
    for (uint32_t i = 0; i < tree.size(); ++i) {
        const Lane& lane = tree.lane(i);
        if (kindOf(lane, false).matchesName(lane, isMatch) &&
            (!matcher->hasLaneClauses() || matcher->matchesLane(tree.pathOf(i))))
            keys.push_back(lane.key);
    }
    return keys;
}

} // namespace

Result<SceneSearch> SceneSearch::make(const ScenePtr& scene, const EventQuery& query,
                                      const Progress& progress, const ReadArguments& readArguments)
{
    SceneSearch search(scene, query);
    search.m_hits = LOCKSTEP_TRY(EventHits::find(*scene, query, progress, nullptr, readArguments));
    LOCKSTEP_TRY(search.list(progress));
    search.m_lanes = lanesMatching(*scene->tree, query);
    return search;
}

Result<SceneSearch> SceneSearch::make(const ScenePtr& scene, std::string_view text, const Progress& progress,
                                      SearchSwitches switches)
{
    const EventQuery query = LOCKSTEP_TRY(parseEventQuery(text, switches));
    return make(scene, query, progress);
}

Result<SceneSearch> SceneSearch::makeFirst(const ScenePtr& scene, const EventQuery& query, uint64_t most,
                                           const Progress& progress)
{
    SceneSearch search(scene, query);
    search.m_hits = LOCKSTEP_TRY(EventHits::findFirst(*scene, query, most, progress));
    search.m_isPartial = true;
    LOCKSTEP_TRY(search.list(progress));
    return search;
}

Status SceneSearch::list(const Progress& progress)
{
    EventListOptions options;
    options.hits = m_hits;
    m_list = LOCKSTEP_TRY(EventList::make(m_scene, options, progress));
    return {};
}

bool SceneSearch::isOf(const LaneTree& tree) const
{
    return std::ranges::all_of(m_lanes, [&](const std::string& key) { return tree.find(key) != kNoLane; });
}

std::optional<SliceRef> SceneSearch::stepSlices(SliceRef from, bool forwards) const
{
    const uint64_t rows = m_list->size();
    if (rows == 0) return std::nullopt;
    if (!m_scene->holds(from)) return m_list->at(forwards ? 0 : rows - 1);
    const uint64_t before = m_list->rowFrom(from);
    const uint64_t next = before + (m_list->rowOf(from) ? 1 : 0);
    if (forwards) return next < rows ? std::optional(m_list->at(next)) : std::nullopt;
    return before > 0 ? std::optional(m_list->at(before - 1)) : std::nullopt;
}

std::optional<size_t> SceneSearch::laneIndex(const SearchResult& find) const
{
    const auto found = std::ranges::find(m_lanes, find.lane);
    if (find.slice.isValid() || found == m_lanes.end()) return std::nullopt;
    return static_cast<size_t>(found - m_lanes.begin());
}

SearchResult SceneSearch::step(const SearchResult& from, bool forwards) const
{
    const auto firstSlice = [&]() -> SearchResult {
        const auto slice = stepSlices({}, forwards);
        return slice ? SearchResult{*slice, {}} : SearchResult();
    };
    const auto firstLane = [&] { return SearchResult{{}, forwards ? m_lanes.front() : m_lanes.back()}; };
    if (const auto lane = laneIndex(from)) {
        const size_t next = forwards ? *lane + 1 : *lane - 1; // beyond either end, the value is not below
                                                              // size()
        if (next < m_lanes.size()) return {{}, m_lanes[next]};
        const SearchResult slice = firstSlice();
        return slice.isEmpty() ? firstLane() : slice;
    }
    if (from.slice.isValid()) {
        if (const auto slice = stepSlices(from.slice, forwards)) return {*slice, {}};
        return m_lanes.empty() ? firstSlice() : firstLane();
    }
    // A backward search without a starting point begins with the last result. This is a lane if any lane
    // matches.
    const bool areLanesFirst = !m_lanes.empty() && (!forwards || sliceCount() == 0);
    return areLanesFirst ? firstLane() : firstSlice();
}

uint64_t SceneSearch::indexOf(const SearchResult& find) const
{
    if (const auto lane = laneIndex(find)) return sliceCount() + *lane;
    return m_list->rowFrom(find.slice);
}

} // namespace lockstep
