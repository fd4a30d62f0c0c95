// LaneFilter: shows only lanes whose label or path matches a regular expression, with their ancestors. A
// value.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/lane_tree.h"

namespace lockstep {

class LaneFilter {
  public:
    // Lets everything through.
    LaneFilter() = default;
    // ECMAScript syntax, case-insensitive, found anywhere in "process › gpu › stream". invalid names what is
    // wrong.
    static Result<LaneFilter> make(std::string pattern);

    bool isEmpty() const { return m_pattern.empty(); }
    const std::string& pattern() const { return m_pattern; }
    // By lane: whether it is shown. A matching lane brings its ancestors and everything below it.
    std::vector<bool> shownLanes(const LaneTree& tree) const;

  private:
    std::string m_pattern;
};

} // namespace lockstep
