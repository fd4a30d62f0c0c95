// SPDX-License-Identifier: Apache-2.0
// LaneFilter: shows only lanes whose label or path matches a regular expression, or that are about one
// thing, with their ancestors. A value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/pattern.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

class LaneFilter {
  public:
    // Lets everything through.
    LaneFilter() = default;
    // A Pattern that ignores case, found anywhere in "process › gpu › stream". "" lets everything through.
    static Result<LaneFilter> make(const std::string& pattern);

    // Of what it lets through, only lanes of this subject.
    void showOnly(LaneSubject subject) { m_only = subject; }
    bool isEmpty() const { return !m_pattern.has_value() && !m_only.has_value(); }
    // By lane: whether it is shown. A matching lane brings its ancestors and everything below it.
    std::vector<bool> shownLanes(const LaneTree& tree) const;

  private:
    std::optional<Pattern> m_pattern;
    std::optional<LaneSubject> m_only;
};

} // namespace lockstep
