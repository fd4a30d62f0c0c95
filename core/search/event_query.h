// SPDX-License-Identifier: Apache-2.0
// EventQuery: a search as typed. All words and /patterns/ must occur in the name. `name:`, `lane:` and `arg:`
// apply to the name, the lane's path and the arguments, `dur>` and `dur<` to the duration, and `rank:0-15,32`
// to the rank. Created by parseEventQuery(); read by EventHits, and by the search panel, which shows its
// clauses as chips. Value type. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

} // namespace lockstep
