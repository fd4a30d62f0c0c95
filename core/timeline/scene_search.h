// SPDX-License-Identifier: Apache-2.0
// SceneSearch: the results of a query in a scene: slices in chronological order, then lanes whose name
// matches (such as counters or data loss). Keeps its scene alive. A finished search is immutable. Thread:
// any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/search/event_list.h"

namespace lockstep {

// Returns whether a name matches.
using NameMatcher = std::function<bool(std::string_view name)>;

// A slice or, if that is invalid, a lane. If both are missing, there is no result.
struct SearchResult {
    SliceRef slice;
    std::string lane; // key of the lane

    bool isEmpty() const { return !slice.isValid() && lane.empty(); }
    friend bool operator==(const SearchResult&, const SearchResult&) = default;
};

class SceneSearch {
  public:
    // Errors: `invalid` for an empty query, or for one with arguments without readArguments; `canceled`. The
    // scene must be drawable. Cost: same as EventHits::find(), on all workers.
    static Result<SceneSearch> make(const ScenePtr& scene, const EventQuery& query, const Progress& progress,
                                    const ReadArguments& readArguments = {});
    // Like make() for a parsed query, but takes the query as the user typed it. Returns `invalid` if it
    // cannot be parsed.
    static Result<SceneSearch> make(const ScenePtr& scene, std::string_view text, const Progress& progress,
                                    SearchSwitches switches = {});
    // Returns only the first slices, if they can be found quickly: see EventHits::findFirst().
    static Result<SceneSearch> makeFirst(const ScenePtr& scene, const EventQuery& query, uint64_t most,
                                         const Progress& progress);

    uint64_t count() const { return sliceCount() + m_lanes.size(); }
    uint64_t sliceCount() const { return m_list->size(); }
    // Never returns nullptr.
    const std::shared_ptr<const EventList>& slices() const { return m_list; }
    const std::shared_ptr<const EventHits>& hits() const { return m_hits; }
    const EventQuery& query() const { return m_query; }
    // True for a result of makeFirst(), which has only the first slices.
    bool isPartial() const { return m_isPartial; }
    // Returns whether the lanes in the results still exist with the same names.
    bool isOf(const LaneTree& tree) const;
    bool matches(SliceRef slice) const { return m_hits->isOf(slice.report) && m_hits->has(slice); }
    // Returns the next (or previous) result, wrapping around at the end. Without `from`, returns the first
    // (or last) result. Returns an empty result if there are none. O(tracks log slices).
    SearchResult next(const SearchResult& from) const { return step(from, true); }
    SearchResult previous(const SearchResult& from) const { return step(from, false); }
    // Returns the number of results before this one, for display as in "3 of 17". O(tracks log slices).
    uint64_t indexOf(const SearchResult& find) const;

  private:
    SceneSearch(ScenePtr scene, EventQuery query) : m_scene(std::move(scene)), m_query(std::move(query)) {}
    Status list(const Progress& progress);
    SearchResult step(const SearchResult& from, bool forwards) const;
    // Returns the next (previous) slice after (before) `from`, or the first (last) slice if `from` is
    // invalid. Does not wrap around.
    std::optional<SliceRef> stepSlices(SliceRef from, bool forwards) const;
    std::optional<size_t> laneIndex(const SearchResult& find) const;

    ScenePtr m_scene;
    EventQuery m_query;
    std::shared_ptr<const EventHits> m_hits;
    std::shared_ptr<const EventList> m_list;
    std::vector<std::string> m_lanes; // lane keys, from top to bottom
    bool m_isPartial = false;
};

} // namespace lockstep
