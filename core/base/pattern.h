// SPDX-License-Identifier: Apache-2.0
// Pattern: a compiled regular expression, the one kind there is in Lockstep: filters, searches, and what a
// file's name says. RE2 matches it, in time linear in the text whatever the expression, and with bounded
// memory: names come from files and hosts, and may be megabytes long. A value; any thread may match.
//
// The syntax is RE2's: that of Perl and ECMAScript without what needs backtracking (no \1, no look-ahead or
// look-behind, those are refused). Unlike POSIX extended ones: \d \s \w \b and lazy quantifiers are known, \<
// and \> are those characters, and of several ways to match, the first alternative wins rather than the
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

    // invalid: the expression is malformed or too large; the message quotes it and says why.
    static Result<Pattern> compile(std::string_view expression, Case letters = Case::sensitive);

    // True when some part of text matches. Text that is not UTF-8 is looked at as far as it is.
    bool matches(std::string_view text) const;

    // What the named groups (?<name>...) hold, where the whole text matches.
    class Groups {
      public:
        // Empty where the group took no part, or there is none of that name.
        std::string_view operator[](std::string_view name) const;

      private:
        friend class Pattern;
        std::shared_ptr<const re2::RE2> m_compiled;
        std::vector<std::string_view> m_parts; // into the text; by the group's number, 0 the whole
    };
    // None where text as a whole does not match. The groups live as long as the text.
    std::optional<Groups> matchWhole(std::string_view text) const;

    // As it was given to compile().
    const std::string& expression() const { return m_expression; }

  private:
    std::string m_expression;
    std::shared_ptr<const re2::RE2> m_compiled;
};

} // namespace lockstep
