// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_keys.h"

namespace lockstep {

// Follows strings and brackets, and keeps the strings of the outermost object that a colon follows.
std::vector<std::string_view> firstKeys(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const size_t begin = text.find_first_not_of(" \t\r\n[");
    if (begin == std::string_view::npos || text[begin] != '{') return {};
    std::vector<std::string_view> keys;
    std::string_view last;
    int depth = 0;
    for (size_t at = begin; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            size_t end = at + 1;
            while (end < text.size() && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            if (end >= text.size()) break;
            last = text.substr(at + 1, end - at - 1);
            at = end;
        } else if (c == ':' && depth == 1) {
            keys.push_back(last);
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            break;
        }
    }
    return keys;
}

} // namespace lockstep
