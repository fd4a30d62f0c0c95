// SPDX-License-Identifier: Apache-2.0
// EventMatcher: an EventQuery made ready: its patterns compiled, its conditions asked one by one, so that
// whoever looks through a scene asks each where it is cheapest: of a track, of a name, of a row. Immutable,
// any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pattern.h"
#include "core/timeline/event_query.h"

namespace lockstep {

// A text, or a pattern, that must be found somewhere in another.
class TextMatcher {
  public:
    // invalid: no pattern.
    static Result<TextMatcher> make(const EventClause& clause, bool matchesCase);

    bool matches(std::string_view text) const { return placeIn(text).second > 0 || isIn(text); }
    // Where the text stands first, {begin, length}; {0, 0} where it does not, or of a pattern.
    std::pair<size_t, size_t> placeIn(std::string_view text) const;

  private:
    bool isIn(std::string_view text) const { return m_pattern && m_pattern->matches(text); }

    std::string m_text; // lower case unless case matters; of no pattern
    bool m_matchesCase = false;
    std::optional<Pattern> m_pattern;
};

class EventMatcher {
  public:
    // invalid: as parseEventQuery(), which such a query does not come from.
    static Result<EventMatcher> make(const EventQuery& query);

    bool asksNames() const { return !m_names.empty(); }
    bool asksLanes() const { return !m_lanes.empty(); }
    bool asksRanks() const { return m_asksRanks; }
    bool asksArguments() const { return !m_arguments.empty(); }

    bool matchesName(std::string_view name) const { return matchAll(m_names, name); }
    // path: of LaneTree::pathOf().
    bool matchesLane(std::string_view path) const { return matchAll(m_lanes, path); }
    // Who has no rank is of none that is asked for.
    bool matchesRank(std::optional<int> rank) const;
    bool matchesDuration(int64_t duration_ns) const
    {
        return duration_ns >= m_least_ns && duration_ns <= m_most_ns;
    }
    bool asksDurations() const { return m_least_ns > 0 || m_most_ns < kAllTime.end.ns; }
    // Each must be found in some "name=value".
    bool matchesArguments(const std::vector<std::pair<std::string, std::string>>& arguments) const;
    const std::vector<TextMatcher>& names() const { return m_names; }

  private:
    static bool matchAll(const std::vector<TextMatcher>& all, std::string_view text);

    std::vector<TextMatcher> m_names, m_lanes, m_arguments;
    std::vector<std::vector<std::pair<int, int>>> m_ranks; // one of each
    bool m_asksRanks = false;
    int64_t m_least_ns = 0, m_most_ns = kAllTime.end.ns;
};

} // namespace lockstep
