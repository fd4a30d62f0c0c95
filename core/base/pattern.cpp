// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"

#include <algorithm>
#include <cctype>

#include <re2/re2.h>

namespace lockstep {

namespace {

// limit on the memory of a compiled pattern and its automaton; compilation fails if it is exceeded
constexpr int64_t kMemory_bytes = 8 << 20;
constexpr size_t kLongestPattern = 4096; // maximum size of an expression in bytes

// The RE2 version in Debian 12 requires (?P<name>...) for named groups; newer versions accept (?<name>...).
// Escaped parentheses, and parentheses in a character class, are left unchanged.
std::string inItsSpelling(std::string_view expression)
{
    std::string spelled;
    bool isInClass = false;
    for (size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        spelled += c;
        if (c == '\\' && i + 1 < expression.size()) {
            spelled += expression[++i];
        } else if (isInClass) {
            isInClass = c != ']';
        } else if (c == '[') {
            isInClass = true;
            for (const char first : {'^', ']'}) { // a bracket in the first position is a literal character
                if (i + 1 < expression.size() && expression[i + 1] == first) spelled += expression[++i];
            }
        } else if (c == '(' && expression.substr(i, 3) == "(?<" && i + 3 < expression.size() &&
                   std::isalpha(static_cast<unsigned char>(expression[i + 3])) != 0) {
            spelled += "?P<";
            i += 2;
        }
    }
    return spelled;
}

std::string quoted(std::string_view expression)
{
    constexpr size_t kShown = 200;
    return "'" + std::string(expression.substr(0, kShown)) + (expression.size() > kShown ? "..." : "") + "'";
}

} // namespace

Result<Pattern> Pattern::compile(std::string_view expression, Case letters)
{
    if (expression.size() > kLongestPattern) {
        return makeError(ErrorKind::invalid, "regular expression " + quoted(expression) + ": longer than " +
                                                 std::to_string(kLongestPattern) + " bytes");
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMemory_bytes);
    options.set_case_sensitive(letters == Case::sensitive);
    Pattern pattern;
    pattern.m_expression = expression;
    pattern.m_compiled = std::make_shared<const re2::RE2>(inItsSpelling(expression), options);
    if (!pattern.m_compiled->ok()) {
        return makeError(ErrorKind::invalid,
                         "regular expression " + quoted(expression) + ": " + pattern.m_compiled->error());
    }
    return pattern;
}

bool Pattern::matches(std::string_view text) const
{
    return re2::RE2::PartialMatch({text.data(), text.size()}, *m_compiled);
}

std::optional<Pattern::Groups> Pattern::fullMatch(std::string_view text) const
{
    return match(text, 0, true);
}

std::vector<Pattern::Groups> Pattern::allMatches(std::string_view text) const
{
    std::vector<Groups> all;
    for (size_t from = 0; from <= text.size();) {
        auto groups = match(text, from, false);
        if (!groups) break;
        const std::string_view whole = groups->m_parts[0];
        from = static_cast<size_t>(whole.data() - text.data()) + std::max(whole.size(), size_t(1));
        all.push_back(*std::move(groups));
    }
    return all;
}

std::optional<Pattern::Groups> Pattern::match(std::string_view text, size_t from, bool isWhole) const
{
    const int count = m_compiled->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> parts(static_cast<size_t>(count));
    const auto anchor = isWhole ? re2::RE2::ANCHOR_BOTH : re2::RE2::UNANCHORED;
    if (!m_compiled->Match({text.data(), text.size()}, from, text.size(), anchor, parts.data(), count))
        return std::nullopt;
    Groups groups;
    groups.m_compiled = m_compiled;
    std::ranges::transform(parts, std::back_inserter(groups.m_parts), [](const re2::StringPiece& part) {
        return std::string_view(part.data(), part.size());
    });
    return groups;
}

std::string_view Pattern::Groups::operator[](std::string_view name) const
{
    const auto& numbers = m_compiled->NamedCapturingGroups();
    const auto number = numbers.find(std::string(name));
    return number == numbers.end() ? std::string_view() : m_parts[static_cast<size_t>(number->second)];
}

} // namespace lockstep
