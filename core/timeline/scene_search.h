// SPDX-License-Identifier: Apache-2.0
// SceneSearch: what of a scene a query finds: slices in the order of time, then lanes whose kinds say that
// they are called so (counters, what was lost). A made search is immutable, any thread; it keeps its scene.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/timeline/event_list.h"

namespace lockstep {

// Whether a name is what is looked for.
using NameMatcher = std::function<bool(std::string_view name)>;

// A slice or, where that is invalid, a lane; neither: nothing.
struct SearchFind {
    SliceRef slice;
    std::string lane; // its key

    bool isNothing() const { return !slice.isValid() && lane.empty(); }
    friend bool operator==(const SearchFind&, const SearchFind&) = default;
};

class SceneSearch {
  public:
    // invalid: an empty query, or one of arguments without readArguments; canceled. The scene is one to be
    // drawn. Cost: EventHits::find(), on all workers.
    static Result<SceneSearch> make(const ScenePtr& scene, const EventQuery& query, const Progress& progress,
                                    const ReadArguments& readArguments = {});
    // The same of a text; invalid: it is no query.
    static Result<SceneSearch> make(const ScenePtr& scene, std::string_view text, const Progress& progress,
                                    SearchSwitches switches = {});
    // No more than the first slices of it, where they are soon found: see EventHits::findFirst().
    static Result<SceneSearch> makeFirst(const ScenePtr& scene, const EventQuery& query, uint64_t most,
                                         const Progress& progress);

    uint64_t count() const { return sliceCount() + m_lanes.size(); }
    uint64_t sliceCount() const { return m_list->size(); }
    // Never null.
    const std::shared_ptr<const EventList>& slices() const { return m_list; }
    const std::shared_ptr<const EventHits>& hits() const { return m_hits; }
    const EventQuery& query() const { return m_query; }
    // Slices that come first are there, others are not: of makeFirst().
    bool isPartial() const { return m_isPartial; }
    // Whether the lanes that were found are there, called as they were.
    bool isOf(const LaneTree& tree) const;
    bool matches(SliceRef slice) const { return m_hits->isOf(slice.report) && m_hits->has(slice); }
    // The first find after `from` (before it), going round at the end; from nothing it starts at the end.
    // Nothing when there is none. O(tracks log slices).
    SearchFind next(const SearchFind& from) const { return step(from, true); }
    SearchFind previous(const SearchFind& from) const { return step(from, false); }
    // How many finds come before it: "3 of 17". O(tracks log slices).
    uint64_t indexOf(const SearchFind& find) const;

  private:
    SceneSearch(ScenePtr scene, EventQuery query) : m_scene(std::move(scene)), m_query(std::move(query)) {}
    Status list(const Progress& progress);
    SearchFind step(const SearchFind& from, bool forwards) const;
    // Of the slices after (before) `from`, all where it is invalid; not round the end.
    std::optional<SliceRef> stepSlices(SliceRef from, bool forwards) const;
    std::optional<size_t> laneIndex(const SearchFind& find) const;

    ScenePtr m_scene;
    EventQuery m_query;
    std::shared_ptr<const EventHits> m_hits;
    std::shared_ptr<const EventList> m_list;
    std::vector<std::string> m_lanes; // keys, top to bottom
    bool m_isPartial = false;
};

} // namespace lockstep
