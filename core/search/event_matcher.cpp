// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_matcher.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

Result<TextMatcher> TextMatcher::make(const EventClause& clause, bool matchesCase)
{
    TextMatcher matcher;
    matcher.m_matchesCase = matchesCase;
    if (clause.isRegex) {
        matcher.m_pattern = LOCKSTEP_TRY(
            Pattern::compile(clause.text, matchesCase ? Pattern::Case::sensitive : Pattern::Case::ignored));
    } else {
        matcher.m_text = matchesCase ? clause.text : lowerAscii(clause.text);
    }
    return matcher;
}

std::pair<size_t, size_t> TextMatcher::firstMatchIn(std::string_view text) const
{
    if (m_pattern) return {0, 0};
    if (m_matchesCase) {
        const size_t at = text.find(m_text);
        return at == std::string_view::npos ? std::pair<size_t, size_t>{0, 0} : std::pair{at, m_text.size()};
    }
    const auto isSame = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    const auto found = std::search(text.begin(), text.end(), m_text.begin(), m_text.end(), isSame);
    if (found == text.end()) return {0, 0};
    return {static_cast<size_t>(found - text.begin()), m_text.size()};
}

Result<EventMatcher> EventMatcher::make(const EventQuery& query)
{
    EventMatcher matcher;
    for (const EventClause& clause : query.clauses) {
        switch (clause.key) {
        case EventKey::name:
            matcher.m_names.push_back(LOCKSTEP_TRY(TextMatcher::make(clause, query.switches.matchesCase)));
            break;
        case EventKey::lane:
            matcher.m_lanes.push_back(LOCKSTEP_TRY(TextMatcher::make(clause, query.switches.matchesCase)));
            break;
        case EventKey::argument:
            matcher.m_arguments.push_back(
                LOCKSTEP_TRY(TextMatcher::make(clause, query.switches.matchesCase)));
            break;
        case EventKey::rank:
            matcher.m_ranks.push_back(clause.ranks);
            matcher.m_hasRankClauses = true;
            break;
        case EventKey::duration: {
            const int64_t ns = clause.duration.ns;
            using enum EventClause::Limit;
            if (clause.limit == above) matcher.m_least_ns = std::max(matcher.m_least_ns, ns + 1);
            if (clause.limit == atLeast) matcher.m_least_ns = std::max(matcher.m_least_ns, ns);
            if (clause.limit == below) matcher.m_most_ns = std::min(matcher.m_most_ns, ns - 1);
            if (clause.limit == atMost) matcher.m_most_ns = std::min(matcher.m_most_ns, ns);
            break;
        }
        }
    }
    return matcher;
}

bool EventMatcher::matchAll(const std::vector<TextMatcher>& all, std::string_view text)
{
    return std::ranges::all_of(all, [text](const TextMatcher& matcher) { return matcher.matches(text); });
}

bool EventMatcher::matchesRank(std::optional<int> rank) const
{
    return std::ranges::all_of(m_ranks, [rank](const std::vector<std::pair<int, int>>& ranges) {
        return rank && std::ranges::any_of(ranges, [rank](const std::pair<int, int>& range) {
                   return range.first <= *rank && *rank <= range.second;
               });
    });
}

bool EventMatcher::matchesArguments(const std::vector<std::pair<std::string, std::string>>& arguments) const
{
    return std::ranges::all_of(m_arguments, [&](const TextMatcher& matcher) {
        return std::ranges::any_of(arguments, [&](const std::pair<std::string, std::string>& argument) {
            return matcher.matches(argument.first + '=' + argument.second);
        });
    });
}

} // namespace lockstep
