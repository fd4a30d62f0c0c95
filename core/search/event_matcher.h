// SPDX-License-Identifier: Apache-2.0
// EventMatcher: an EventQuery with compiled patterns and separate conditions, so that a search can check each
// condition at the level where this costs least: per track, per name, or per row. Immutable. Thread: any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pattern.h"
#include "core/search/event_query.h"

namespace lockstep {

// A string or a pattern that must occur in another string.
class TextMatcher {
  public:
    // Returns `invalid` for an invalid pattern.
    static Result<TextMatcher> make(const EventClause& clause, bool matchesCase);

    bool matches(std::string_view text) const { return firstMatchIn(text).second > 0 || isIn(text); }
    // Returns the first occurrence as {begin, length}; {0, 0} if the string does not occur, or if this is a
    // pattern.
    std::pair<size_t, size_t> firstMatchIn(std::string_view text) const;

  private:
    bool isIn(std::string_view text) const { return m_pattern && m_pattern->matches(text); }

    std::string m_text; // lower case unless the search is case-sensitive; empty for a pattern
    bool m_matchesCase = false;
    std::optional<Pattern> m_pattern;
};

class EventMatcher {
  public:
    // Returns `invalid` for a query that parseEventQuery() would reject.
    static Result<EventMatcher> make(const EventQuery& query);

    bool hasNameClauses() const { return !m_names.empty(); }
    bool hasLaneClauses() const { return !m_lanes.empty(); }
    bool hasRankClauses() const { return m_hasRankClauses; }
    bool hasArgumentClauses() const { return !m_arguments.empty(); }

    bool matchesName(std::string_view name) const { return matchAll(m_names, name); }
    // path: as returned by LaneTree::pathOf().
    bool matchesLane(std::string_view path) const { return matchAll(m_lanes, path); }
    // Slices without a rank never match a rank condition.
    bool matchesRank(std::optional<int> rank) const;
    bool matchesDuration(int64_t duration_ns) const
    {
        return duration_ns >= m_least_ns && duration_ns <= m_most_ns;
    }
    // Each clause must occur in at least one "name=value".
    bool matchesArguments(const std::vector<std::pair<std::string, std::string>>& arguments) const;
    const std::vector<TextMatcher>& names() const { return m_names; }

  private:
    static bool matchAll(const std::vector<TextMatcher>& all, std::string_view text);

    std::vector<TextMatcher> m_names, m_lanes, m_arguments;
    std::vector<std::vector<std::pair<int, int>>> m_ranks; // at least one entry in each list must match
    bool m_hasRankClauses = false;
    int64_t m_least_ns = 0, m_most_ns = kAllTime.end.ns;
};

} // namespace lockstep
