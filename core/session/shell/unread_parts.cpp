// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/unread_parts.h"

#include <algorithm>

#include "core/session/shell/tokens.h"

namespace lockstep::shell {

std::string lineRange(int first, int last)
{
    return last > first ? " (lines " + std::to_string(first) + " to " + std::to_string(last) + ")"
                        : std::string();
}

std::string shortened(std::string_view text)
{
    constexpr size_t kMax = 60;
    std::string out(text.substr(0, kMax));
    std::replace(out.begin(), out.end(), '\n', ' ');
    return text.size() > kMax ? out + "..." : out;
}

void noteUnreadParts(std::string_view raw, int line, Notes& notes)
{
    size_t open = std::string_view::npos;
    bool isBraced = false, isGlob = false;
    for (size_t at = 0; at < raw.size();) {
        const char c = raw[at];
        if (c == '\\') {
            at += 2;
        } else if (c == '\'' || c == '"' || c == '`') {
            at = std::min(endOfQuote(raw, at), raw.size());
        } else if (c == '$') {
            at = std::min(std::max(endOfExpansion(raw, at), at + 1), raw.size());
        } else {
            isGlob |= c == '*' || c == '?';
            if (c == '{') open = at;
            if (c == '}' && open != std::string_view::npos) {
                const std::string_view inner = raw.substr(open, at - open);
                isBraced |=
                    inner.find(',') != std::string_view::npos || inner.find("..") != std::string_view::npos;
            }
            ++at;
        }
    }
    if (isBraced)
        notes.add(line, true, "bash would expand " + shortened(raw) + " to several arguments; kept as one");
    if (isGlob) notes.add(line, true, shortened(raw) + " may match files; left unexpanded");
    const size_t home = raw.starts_with("~/") ? 0 : raw.find("=~/");
    if (home != std::string_view::npos)
        notes.add(line, true,
                  shortened(raw) + ": ~ is the home folder of the user who runs the script; left unexpanded");
}

} // namespace lockstep::shell
