// SPDX-License-Identifier: Apache-2.0
// EventQuery: what slices are asked for, as it is typed: words and /patterns/ that all must be in the name,
// name: lane: arg: for what else must hold some text, dur> dur< and rank:0-15,32. Made by parseEventQuery();
// read by EventHits, and by the search panel, which shows its clauses as chips. A value, any thread.
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
    name,     // of the slice
    lane,     // its path: "node0 · rank 0 › GPU 0 › stream 7"
    argument, // "stream=7", as the file has it; read again from there
    duration,
    rank
};

// One condition, and where in the text it was written.
struct EventClause {
    enum class Limit : uint8_t { above, atLeast, below, atMost };

    EventKey key = EventKey::name;
    bool isBare = false; // a word without "name:"
    std::string text;    // of name, lane and argument
    bool isRegex = false;
    Limit limit = Limit::above;
    Duration duration;
    std::vector<std::pair<int, int>> ranks; // both ends belong to it
    size_t begin = 0, end = 0;              // bytes of the text

    // Wherever they stand.
    friend bool operator==(const EventClause& a, const EventClause& b)
    {
        return a.key == b.key && a.isBare == b.isBare && a.text == b.text && a.isRegex == b.isRegex &&
               a.limit == b.limit && a.duration == b.duration && a.ranks == b.ranks;
    }
};

// The two switches beside a search field.
struct SearchSwitches {
    bool matchesCase = false;
    bool isRegex = false; // every text is a pattern (core/base/pattern.h)

    friend bool operator==(SearchSwitches, SearchSwitches) = default;
};

struct EventQuery {
    std::vector<EventClause> clauses; // all must hold
    SearchSwitches switches;

    bool isEmpty() const { return clauses.empty(); }
    bool has(EventKey key) const;
    friend bool operator==(const EventQuery&, const EventQuery&) = default;
};

// "..." keeps blanks together and makes what looks like a key a word; \" and \\ stand for themselves in it.
// Of words with a colon only those with a known key before it, or what is one slip away from one, are more
// than words: "aten::add" and "nccl:all_reduce" are names. invalid: "character 7: ..." with what is wrong
// there.
Result<EventQuery> parseEventQuery(std::string_view text, SearchSwitches switches = {});

// The query as text that parses to it again, with the same switches.
std::string eventQueryText(const EventQuery& query);
// One clause of it: "dur>200us".
std::string eventClauseText(const EventClause& clause, SearchSwitches switches);
// The text without the clause that was written there, and without the blank it leaves.
std::string withoutClause(std::string_view text, const EventClause& clause);
// What the filters are called, for messages and tooltips.
inline constexpr std::string_view kEventKeys = "name: lane: arg: rank: dur> dur<";

} // namespace lockstep
