// SPDX-License-Identifier: Apache-2.0
// LaneFilter: shows only lanes whose label or path matches a regular expression, or lanes of one kind,
// including their ancestors. Value type.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/pattern.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

class LaneFilter {
  public:
    // Matches everything.
    LaneFilter() = default;
    // Creates a filter. `pattern` is a case-insensitive Pattern that is searched for anywhere in "process ›
    // gpu › stream". "" matches everything.
    static Result<LaneFilter> make(const std::string& pattern);

    // Restricts the matches to lanes with data of this type.
    template<class T>
    void showOnly()
    {
        m_only = [](const Lane& lane) { return lane.data.is<T>(); };
    }
    bool isEmpty() const { return !m_pattern.has_value() && m_only == nullptr; }
    // Returns, by lane, whether the lane is shown. The ancestors and all descendants of a matching lane are
    // shown too.
    std::vector<bool> shownLanes(const LaneTree& tree) const;

  private:
    std::optional<Pattern> m_pattern;
    bool (*m_only)(const Lane& lane) = nullptr; // nullptr: all lanes
};

} // namespace lockstep
