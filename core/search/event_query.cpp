// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_query.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/edit_distance.h"
#include "core/base/pattern.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::pair<std::string_view, EventKey>, 4> kTextKeys{{{"name:", EventKey::name},
                                                                          {"lane:", EventKey::lane},
                                                                          {"arg:", EventKey::argument},
                                                                          {"rank:", EventKey::rank}}};
// Longer spellings come first.
constexpr std::array<std::pair<std::string_view, EventClause::Limit>, 4> kLimits{
    {{"dur>=", EventClause::Limit::atLeast},
     {"dur<=", EventClause::Limit::atMost},
     {"dur>", EventClause::Limit::above},
     {"dur<", EventClause::Limit::below}}};
constexpr std::string_view kEnDash = "\u2013";
constexpr int kMaxRank = 99'999'999;

bool isQueryBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Returns the word before a colon if it looks like a key, i.e. if it has only letters and the text has only
// one colon.
std::string_view keyLike(std::string_view word)
{
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon < 2 || word.substr(colon).starts_with("::")) return {};
    const std::string_view key = word.substr(0, colon);
    return std::ranges::all_of(key, [](char c) { return c >= 'a' && c <= 'z'; }) ? key : std::string_view();
}

// Returns whether a word is a misspelled key, or a synonym of a key.
bool looksLikeKey(std::string_view key)
{
    for (const std::string_view other : {"duration", "ranks", "lanes", "args", "dur", "argument", "names"}) {
        if (key == other) return true;
    }
    return std::ranges::any_of(std::array<std::string_view, 4>{"name", "lane", "arg", "rank"},
                               [&](std::string_view known) { return editDistance(key, known) <= 1; });
}

std::optional<int> rankNumber(std::string_view text)
{
    const auto number = parseInt(text);
    const bool isRank = number && *number >= 0 && *number <= kMaxRank && text.front() != '+';
    return isRank ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<std::pair<int, int>> rankRange(std::string_view text)
{
    size_t dash = text.find('-'), width = 1;
    if (dash == std::string_view::npos) {
        dash = text.find(kEnDash);
        width = kEnDash.size();
    }
    const auto first = rankNumber(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : rankNumber(text.substr(dash + width));
    if (!first || !last || *last < *first) return std::nullopt;
    return std::pair(*first, *last);
}

class QueryParser {
  public:
    QueryParser(std::string_view text, SearchSwitches switches) : m_text(text)
    {
        m_query.switches = switches;
    }

    Result<EventQuery> run()
    {
        for (skipBlanks(); m_at < m_text.size(); skipBlanks())
            LOCKSTEP_TRY(takeClause());
        return std::move(m_query);
    }

  private:
    std::string_view rest() const { return m_text.substr(m_at); }
    void skipBlanks()
    {
        while (m_at < m_text.size() && isQueryBlank(m_text[m_at]))
            ++m_at;
    }
    // Positions are one-based; a multibyte character counts once.
    tl::unexpected<Error> wrong(size_t at, std::string message) const
    {
        const auto isBegin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
        const auto place = std::ranges::count_if(m_text.substr(0, at), isBegin) + 1;
        return makeError(ErrorKind::invalid, "character " + std::to_string(place) + ": " + message);
    }
    std::string_view currentWord() const
    {
        size_t end = m_at;
        while (end < m_text.size() && !isQueryBlank(m_text[end]))
            ++end;
        return m_text.substr(m_at, end - m_at);
    }

    Status takeClause()
    {
        EventClause clause;
        clause.begin = m_at;
        const std::string_view word = currentWord();
        for (const auto& [key, limit] : kLimits) {
            if (word.starts_with(key)) {
                clause.key = EventKey::duration;
                clause.limit = limit;
                LOCKSTEP_TRY(takeDuration(clause, key));
                return add(std::move(clause));
            }
        }
        const auto key =
            std::ranges::find_if(kTextKeys, [&](const auto& k) { return word.starts_with(k.first); });
        if (key != kTextKeys.end()) {
            clause.key = key->second;
            m_at += key->first.size();
            if (key->second == EventKey::rank) {
                LOCKSTEP_TRY(takeRanks(clause));
            } else {
                LOCKSTEP_TRY(takeText(clause, key->first));
            }
            return add(std::move(clause));
        }
        if (const std::string_view like = keyLike(word); !like.empty() && looksLikeKey(like)) {
            return wrong(m_at, "\u201C" + std::string(like) + ":\u201D is not a filter; valid filters: " +
                                   std::string(kEventKeys) + "; use quotes to search for it in names");
        }
        clause.isBare = true;
        LOCKSTEP_TRY(takeText(clause, {}));
        return add(std::move(clause));
    }

    Status add(EventClause clause)
    {
        clause.end = m_at;
        m_query.clauses.push_back(std::move(clause));
        return {};
    }

    Status takeDuration(EventClause& clause, std::string_view key)
    {
        const std::string_view value = currentWord().substr(key.size());
        const size_t at = m_at + key.size();
        if (value.empty())
            return wrong(at,
                         std::string(key) + " needs a duration, for example " + std::string(key) + "200us");
        // Both U+00B5 and U+03BC are used for micro.
        std::string plain(value);
        for (const std::string_view micro : {"\u00B5", "\u03BC"}) {
            if (const size_t found = plain.find(micro); found != std::string::npos)
                plain.replace(found, micro.size(), "u");
        }
        const auto ns = parseDuration(plain);
        const bool hasUnit = plain.back() == 's';
        if (!ns || *ns < 0 || !hasUnit) {
            return wrong(at, "\u201C" + std::string(value) + "\u201D is not a duration with a unit; write " +
                                 std::string(key) + "200us (ns, us, ms, s)");
        }
        clause.duration = {*ns};
        m_at += currentWord().size();
        return {};
    }

    Status takeRanks(EventClause& clause)
    {
        const std::string_view value = currentWord();
        size_t from = 0;
        while (true) {
            const size_t comma = std::min(value.find(',', from), value.size());
            const std::string_view part = value.substr(from, comma - from);
            const auto range = rankRange(part);
            if (!range) {
                return wrong(m_at + from,
                             (part.empty() ? "missing rank"
                                           : "\u201C" + std::string(part) + "\u201D is not a valid rank") +
                                 "; write rank:0-15,32");
            }
            clause.ranks.push_back(*range);
            if (comma == value.size()) break;
            from = comma + 1;
        }
        m_at += value.size();
        return {};
    }

    Status takeText(EventClause& clause, std::string_view key)
    {
        const size_t at = m_at;
        clause.isRegex = m_query.switches.isRegex;
        if (rest().starts_with('"')) {
            LOCKSTEP_TRY(takeQuoted(clause.text));
        } else if (const size_t end = patternEnd(); end != std::string_view::npos) {
            clause.text = m_text.substr(m_at + 1, end - m_at - 1);
            clause.isRegex = true;
            m_at = end + 1;
        } else {
            clause.text = currentWord();
            m_at += clause.text.size();
        }
        if (clause.text.empty()) {
            return wrong(at, key.empty() ? "empty quotes" : std::string(key) + " needs text");
        }
        if (!clause.isRegex) return {};
        const auto letters = m_query.switches.matchesCase ? Pattern::Case::sensitive : Pattern::Case::ignored;
        if (auto pattern = Pattern::compile(clause.text, letters); !pattern)
            return wrong(at, pattern.error().message);
        return {};
    }

    // Returns the slash that ends a pattern, which is the first one that is not preceded by a backslash and
    // is not followed by anything else.
    size_t patternEnd() const
    {
        if (!rest().starts_with('/')) return std::string_view::npos;
        for (size_t i = m_at + 1; i < m_text.size(); ++i) {
            if (m_text[i] == '\\') {
                ++i;
            } else if (m_text[i] == '/' && (i + 1 == m_text.size() || isQueryBlank(m_text[i + 1]))) {
                return i > m_at + 1 ? i : std::string_view::npos;
            }
        }
        return std::string_view::npos;
    }

    Status takeQuoted(std::string& out)
    {
        const size_t open = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            const bool isEscaped = m_text[m_at] == '\\' && m_at + 1 < m_text.size() &&
                                   (m_text[m_at + 1] == '"' || m_text[m_at + 1] == '\\');
            m_at += isEscaped ? 1 : 0;
            out += m_text[m_at++];
        }
        if (m_at == m_text.size()) return wrong(open, "the quote that begins here is not closed");
        ++m_at;
        if (m_at < m_text.size() && !isQueryBlank(m_text[m_at]))
            return wrong(m_at, "missing space after the closing quote");
        return {};
    }

    std::string_view m_text;
    size_t m_at = 0;
    EventQuery m_query;
};

std::string quotedText(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string rankListText(const std::vector<std::pair<int, int>>& ranks)
{
    std::string out;
    for (const auto& [first, last] : ranks) {
        if (!out.empty()) out += ',';
        out += std::to_string(first);
        if (last != first) out += '-' + std::to_string(last);
    }
    return out;
}

// Uses the largest unit in which the value is exact.
std::string exactDuration(Duration length)
{
    constexpr std::array<std::pair<int64_t, const char*>, 3> kUnits{
        {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
    for (const auto& [unit_ns, name] : kUnits) {
        if (length.ns >= unit_ns && length.ns % unit_ns == 0)
            return std::to_string(length.ns / unit_ns) + name;
    }
    return std::to_string(length.ns) + "ns";
}

} // namespace

bool EventQuery::has(EventKey key) const
{
    return std::ranges::any_of(clauses, [key](const EventClause& clause) { return clause.key == key; });
}

Result<EventQuery> parseEventQuery(std::string_view text, SearchSwitches switches)
{
    return QueryParser(text, switches).run();
}

std::string eventClauseText(const EventClause& clause, SearchSwitches switches)
{
    if (clause.key == EventKey::rank) return "rank:" + rankListText(clause.ranks);
    if (clause.key == EventKey::duration) {
        const auto limit = std::ranges::find(kLimits, clause.limit, [](const auto& l) { return l.second; });
        return std::string(limit->first) + exactDuration(clause.duration);
    }
    std::string key;
    if (!clause.isBare) {
        key = std::ranges::find(kTextKeys, clause.key, [](const auto& k) { return k.second; })->first;
    }
    // The string is written without quotes if it then parses to the same clause. Otherwise it is enclosed in
    // slashes or quotes. A word that starts with a slash would become a pattern if a later clause ended with
    // one.
    const std::array<std::string, 3> spellings{key + clause.text, key + '/' + clause.text + '/',
                                               key + quotedText(clause.text)};
    for (const std::string& spelling : std::span(spellings).subspan(clause.text.starts_with('/') ? 1 : 0)) {
        const auto again = parseEventQuery(spelling, switches);
        if (again && again->clauses.size() == 1 && again->clauses.front() == clause) return spelling;
    }
    return spellings.back();
}

std::string eventQueryText(const EventQuery& query)
{
    std::string out;
    for (const EventClause& clause : query.clauses) {
        if (!out.empty()) out += ' ';
        out += eventClauseText(clause, query.switches);
    }
    return out;
}

std::string withoutClause(std::string_view text, const EventClause& clause)
{
    size_t begin = std::min(clause.begin, text.size()),
           end = std::min(std::max(clause.end, begin), text.size());
    while (end < text.size() && isQueryBlank(text[end]))
        ++end;
    if (end == text.size()) {
        while (begin > 0 && isQueryBlank(text[begin - 1]))
            --begin;
    }
    return std::string(text.substr(0, begin)) + std::string(text.substr(end));
}

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
