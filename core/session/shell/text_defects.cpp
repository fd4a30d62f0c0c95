// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/text_defects.h"

#include <array>

namespace lockstep::shell {

namespace {

struct Lookalike {
    std::string_view bytes; // UTF-8 bytes of the character
    std::string_view name;
    std::string_view plain; // the character to type instead
};

constexpr std::array kLookalikes{
    Lookalike{"\u2018", "a curly quote (U+2018)", "'"},
    Lookalike{"\u2019", "a curly quote (U+2019)", "'"},
    Lookalike{"\u201C", "a curly quote (U+201C)", "\""},
    Lookalike{"\u201D", "a curly quote (U+201D)", "\""},
    Lookalike{"\u2013", "an en dash (U+2013)", "-"},
    Lookalike{"\u2014", "an em dash (U+2014)", "--"},
    Lookalike{"\u2212", "a minus sign (U+2212)", "-"},
    Lookalike{"\u00A0", "a no-break space (U+00A0)", "a space"},
    Lookalike{"\u202F", "a narrow no-break space (U+202F)", "a space"},
    Lookalike{"\u200B", "a zero-width space (U+200B)", "nothing"},
};

// Returns the line without its comment, and with quoted text replaced by spaces, because any character is
// allowed in quotes.
std::string plainPart(std::string_view line)
{
    std::string plain(line);
    char quote = 0;
    for (size_t at = 0; at < plain.size(); ++at) {
        const char c = plain[at];
        if (quote == 0 && c == '#' && (at == 0 || plain[at - 1] == ' ')) {
            plain.resize(at);
            break;
        }
        if (quote == 0 && c == '\\') ++at;
        if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
        } else if (quote != 0) {
            if (c == quote) quote = 0;
            plain[at] = ' ';
        }
    }
    return plain;
}

// plain: the result of plainPart() for the line.
void addLookalikes(std::string_view line, std::string_view plain, int number,
                   std::vector<TextDefect>& defects)
{
    for (const Lookalike& lookalike : kLookalikes) {
        const size_t at = plain.find(lookalike.bytes);
        if (at == std::string_view::npos) continue;
        size_t column = 1;
        for (const char c : line.substr(0, at))
            column += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        defects.push_back({number, false,
                           std::string(lookalike.name) + " at column " + std::to_string(column) +
                               ": a shell treats it as an ordinary character",
                           "type " + std::string(lookalike.plain) + " instead"});
    }
}

bool isComment(std::string_view line)
{
    const size_t begin = line.find_first_not_of(" \t");
    return begin == std::string_view::npos || line[begin] == '#';
}

} // namespace

std::vector<TextDefect> findTextDefects(std::string_view text)
{
    std::vector<TextDefect> defects;
    if (text.starts_with("\xEF\xBB\xBF"))
        defects.push_back({1, false,
                           "a byte order mark, which bash treats as part of the first word; removed here",
                           "save the script as UTF-8 without it"});
    size_t returns = 0;
    int number = 0, firstReturn = 0;
    for (bool isLast = false; !isLast;) {
        const size_t end = text.find('\n');
        isLast = end == std::string_view::npos;
        std::string_view line = text.substr(0, end);
        text.remove_prefix(isLast ? text.size() : end + 1);
        ++number;
        if (line.ends_with('\r')) {
            if (returns++ == 0) firstReturn = number;
            line.remove_suffix(1);
        }
        if (isComment(line)) continue;
        const std::string plain = plainPart(line);
        const size_t last = plain.find_last_not_of(" \t");
        const bool isWhole = plain.size() == line.size() && last != std::string::npos;
        if (isWhole && last + 1 < plain.size() && plain[last] == '\\' && !isLast)
            defects.push_back(
                {number, true,
                 "a space after the backslash: the command ends here, and the next line is a separate command",
                 "remove the space"});
        addLookalikes(line, plain, number, defects);
    }
    if (returns > 0)
        defects.push_back(
            {firstReturn, false,
             "carriage returns at the end of " + std::to_string(returns) +
                 (returns == 1 ? " line" : " lines") +
                 ", as Windows writes them: bash treats them as part of the last word; removed here",
             "convert the script with dos2unix"});
    return defects;
}

} // namespace lockstep::shell
