// SPDX-License-Identifier: Apache-2.0
// SceneSearch: what of a scene is called so: slices by their names, in the order of reports, tracks and time,
// then lanes whose kinds say so (counters, what was lost). The names are matched once, each text of a
// report's pool; its NameIndex knows the slices. A made search is immutable, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SearchQuery {
    std::string text;     // found anywhere in a name; letter case is ignored (ASCII)
    bool isRegex = false; // ECMAScript syntax
};

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
    // invalid: an empty text or no regular expression; canceled. The scene is one to be drawn. O(names +
    // lanes), on all workers.
    static Result<SceneSearch> make(const Scene& scene, const SearchQuery& query, const Progress& progress);

    uint64_t count() const { return m_sliceCount + m_lanes.size(); }
    // Whether the lanes that were found are there, called as they were.
    bool isOf(const LaneTree& tree) const;
    bool matches(SliceRef slice) const;
    // The first find after `from` (before it), going round at the end; from nothing it starts at the end.
    // Nothing when there is none. O(names).
    SearchFind next(const SearchFind& from) const { return step(from, true); }
    SearchFind previous(const SearchFind& from) const { return step(from, false); }
    // How many finds come before it: "3 of 17". O(names).
    uint64_t indexOf(const SearchFind& find) const;

  private:
    struct Part {
        ReportKey key;
        std::shared_ptr<const Report> report;
        std::shared_ptr<const ReportLod> lod;
        NameSet names;
        uint64_t count = 0;
    };

    void findSlices(const Scene& scene, const NameMatcher& isMatch, const Progress& progress);
    SearchFind step(const SearchFind& from, bool forwards) const;
    // Of the slices after (before) `from`, all where it is invalid; not round the end.
    std::optional<SliceRef> stepSlices(SliceRef from, bool forwards) const;
    std::optional<size_t> laneIndex(const SearchFind& find) const;

    std::vector<Part> m_parts; // in the order of reports
    ByReport<size_t> m_partOf;
    uint64_t m_sliceCount = 0;
    std::vector<std::string> m_lanes; // keys, top to bottom
};

} // namespace lockstep
