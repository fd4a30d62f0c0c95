// SPDX-License-Identifier: Apache-2.0
// Compares two sorted ranges entry by entry. Pure. Thread: any.
#pragma once

#include <functional>

namespace lockstep {

// Calls visit(key, before, after) for every entry that differs between two ranges sorted by keyOf(entry),
// which is unique within each range. `before` or `after` is nullptr if there is no such entry. O(entries).
template<class Range, class KeyOf, class Visit>
void visitDifferences(const Range& before, const Range& after, const KeyOf& keyOf, const Visit& visit)
{
    auto was = before.begin();
    auto is = after.begin();
    const auto key = [&keyOf](const auto& entry) -> decltype(auto) { return std::invoke(keyOf, *entry); };
    while (was != before.end() || is != after.end()) {
        const bool isRemoved = is == after.end() || (was != before.end() && key(was) < key(is));
        const bool isAdded = !isRemoved && (was == before.end() || key(is) < key(was));
        if (isRemoved) {
            visit(key(was), &*was, nullptr);
        } else if (isAdded) {
            visit(key(is), nullptr, &*is);
        } else if (!(*was == *is)) {
            visit(key(is), &*was, &*is);
        }
        if (!isAdded) ++was;
        if (!isRemoved) ++is;
    }
}

} // namespace lockstep
