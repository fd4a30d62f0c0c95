// SPDX-License-Identifier: Apache-2.0
#include "core/base/edit_distance.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kLongestWord = 200;
constexpr size_t kMaxSlips = 8;

char folded(char c)
{
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<size_t> beforeLast, last(b.size() + 1), now(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool isSame = folded(a[i - 1]) == folded(b[j - 1]);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1)});
            const bool isSwap = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                                folded(a[i - 2]) == folded(b[j - 1]);
            if (isSwap) now[j] = std::min(now[j], beforeLast[j - 2] + 1);
        }
        beforeLast = last;
        std::swap(last, now);
    }
    return last[b.size()];
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words)
{
    std::string_view nearest;
    size_t fewest = kMaxSlips + 1;
    if (word.size() > kLongestWord) return nearest;
    for (const std::string_view one : words) {
        if (one.size() > kLongestWord) continue;
        const size_t slips = editDistance(word, one);
        if (slips >= fewest || slips * 2 > std::max(word.size(), one.size())) continue;
        fewest = slips;
        nearest = one;
    }
    return nearest;
}

} // namespace lockstep
