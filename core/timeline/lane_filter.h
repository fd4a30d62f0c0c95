// LaneFilter: shows only lanes whose label or path matches a regular expression, with their ancestors. A
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/timeline/lane_tree.h"
#include "core/timeline/name_pattern.h"

namespace lockstep {

class LaneFilter {
  public:
    // Lets everything through.
    LaneFilter() = default;
    // See NamePattern; found anywhere in "process › gpu › stream". "" lets everything through.
    static Result<LaneFilter> make(const std::string& pattern);

    bool isEmpty() const { return !m_pattern.has_value(); }
    // By lane: whether it is shown. A matching lane brings its ancestors and everything below it.
    std::vector<bool> shownLanes(const LaneTree& tree) const;

  private:
    std::optional<NamePattern> m_pattern;
};

} // namespace lockstep
