// SPDX-License-Identifier: Apache-2.0
// EventQuery: a search as typed. All words and /patterns/ must occur in the name. `name:`, `lane:` and `arg:`
// apply to the name, the lane's path and the arguments, `dur>` and `dur<` to the duration, and `rank:0-15,32`
// to the rank. Created by parseEventQuery(); read by EventHits, and by the search panel, which shows its
// clauses as chips. Value type. Thread: any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pattern.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace lockstep {

enum class EventKey : uint8_t {
    name,     // name of the slice
    lane,     // its path: "node0 · rank 0 › GPU 0 › stream 7"
    argument, // "stream=7", as recorded; read from the file again for each search
    duration,
    rank
};

// One condition, and its position in the query as typed.
struct EventClause {
    enum class Limit : uint8_t { above, atLeast, below, atMost };

    EventKey key = EventKey::name;
    bool isBare = false; // a word without a key such as "name:"
    std::string text;    // for clauses on name, lane and argument
    bool isRegex = false;
    Limit limit = Limit::above;
    Duration duration;
    std::vector<std::pair<int, int>> ranks; // both ends inclusive
    size_t begin = 0, end = 0;              // byte range in the query as typed

    // Equality ignores the positions.
    friend bool operator==(const EventClause& a, const EventClause& b)
    {
        return a.key == b.key && a.isBare == b.isBare && a.text == b.text && a.isRegex == b.isRegex &&
               a.limit == b.limit && a.duration == b.duration && a.ranks == b.ranks;
    }
};

// The two switches next to a search field.
struct SearchSwitches {
    bool matchesCase = false;
    bool isRegex = false; // every word is a pattern (core/base/pattern.h)

    friend bool operator==(SearchSwitches, SearchSwitches) = default;
};

struct EventQuery {
    std::vector<EventClause> clauses; // all clauses must match
    SearchSwitches switches;

    bool isEmpty() const { return clauses.empty(); }
    bool has(EventKey key) const;
    friend bool operator==(const EventQuery&, const EventQuery&) = default;
};

// "..." quotes words with spaces and turns a clause into a plain word; \" and \\ stand for these characters
// inside it. A word with a colon is a clause only if the text before the colon is a known key, or one typo
// away from one: "aten::add" and "nccl:all_reduce" are names. Returns `invalid` with "character 7: ..." and
// the problem.
Result<EventQuery> parseEventQuery(std::string_view text, SearchSwitches switches = {});

// Returns the query as a string that parses to the same query with the same switches.
std::string eventQueryText(const EventQuery& query);
// Formats one clause: "dur>200us".
std::string eventClauseText(const EventClause& clause, SearchSwitches switches);
// Returns the query string without the given clause and its separating space.
std::string withoutClause(std::string_view text, const EventClause& clause);
// Names of the filters, for messages and tooltips.
inline constexpr std::string_view kEventKeys = "name: lane: arg: rank: dur> dur<";

// EventMatcher: an EventQuery with compiled patterns and separate conditions, so that a search can check each
// condition at the level where this costs least: per track, per name, or per row. Immutable. Thread: any.

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
