// SPDX-License-Identifier: Apache-2.0
#include "core/trace/kernel_name.h"

namespace lockstep {

std::string_view kernelBaseName(std::string_view name)
{
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    size_t depth = 0, end = name.size();
    for (size_t i = 0; i < name.size() && end == name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>' && depth > 0) --depth;
        if (name[i] != '(' || depth > 0) continue;
        if (name.substr(i).starts_with(kAnonymous))
            i += kAnonymous.size() - 1;
        else
            end = i;
    }
    std::string_view head = name.substr(0, end);
    size_t begin = 0;
    depth = 0;
    for (size_t i = head.size(); i-- > 0 && begin == 0;) {
        if (head[i] == '>') ++depth;
        if (head[i] == '<' && depth > 0 && --depth == 0 && end == head.size()) end = i;
        if (depth == 0 && (head[i] == ' ' || head[i] == ':')) begin = i + 1;
    }
    head = head.substr(0, end);
    return begin < head.size() ? head.substr(begin) : name;
}

} // namespace lockstep
