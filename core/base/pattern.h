// SPDX-License-Identifier: Apache-2.0
// Pattern: a compiled regular expression, the only kind of regular expression in Lockstep. Used for filters,
// searches and file name parsing. For any expression, RE2 takes time linear in the text and bounded memory.
// Both matter because names come from files and hosts and can be megabytes long. Value type; any thread may
// match.
//
// The syntax is RE2's: Perl and ECMAScript without features that need backtracking (\1, look-ahead and
// look-behind are rejected). Differences from POSIX extended expressions: \d \s \w \b and lazy quantifiers
// are supported, \< and \> are literal characters, and the first matching alternative wins rather than the
// longest.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace re2 {
class RE2;
}

namespace lockstep {

class Pattern {
  public:
    enum class Case { sensitive, ignored };

    // Compiles an expression. Returns invalid if the expression is malformed or too large; the message quotes
    // the expression and the reason.
    static Result<Pattern> compile(std::string_view expression, Case letters = Case::sensitive);

    // Returns true if any part of the text matches. Text that is not valid UTF-8 is searched up to the first
    // invalid byte.
    bool matches(std::string_view text) const;

    // The named groups (?<name>...) in a match of the entire text.
    class Groups {
      public:
        // Returns the part of the text that a group matched; empty if the group did not participate or does
        // not exist.
        std::string_view operator[](std::string_view name) const;

      private:
        friend class Pattern;
        std::shared_ptr<const re2::RE2> m_compiled;
        std::vector<std::string_view> m_parts; // views into the text, by group number; 0 is the whole match
    };
    // Returns the groups if the entire text matches, otherwise nullopt. The groups remain valid as long as
    // the text does.
    std::optional<Groups> fullMatch(std::string_view text) const;
    // Returns the groups of every match in the text, from left to right, without overlaps.
    std::vector<Groups> allMatches(std::string_view text) const;

    // Returns the expression as passed to compile().
    const std::string& expression() const { return m_expression; }

  private:
    std::optional<Groups> match(std::string_view text, size_t from, bool isWhole) const;

    std::string m_expression;
    std::shared_ptr<const re2::RE2> m_compiled;
};

} // namespace lockstep
