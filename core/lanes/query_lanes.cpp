// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/query_lanes.h"

#include <algorithm>
#include <charconv>
#include <queue>
#include <set>
#include <tuple>

namespace lockstep {

namespace {

constexpr std::string_view kKeyPrefix = "query ";

} // namespace

size_t QueryTrack::firstAfter(size_t row, TraceTime at) const
{
    const std::vector<QuerySlice>& slices = rows[row];
    return static_cast<size_t>(std::ranges::upper_bound(slices, at, {}, &QuerySlice::rowEnd) -
                               slices.begin());
}

std::vector<std::vector<QuerySlice>> packQuerySlices(std::vector<QuerySlice> slices, uint64_t& dropped)
{
    std::ranges::stable_sort(slices, {}, [](const QuerySlice& slice) {
        return std::tuple(slice.range.begin, -slice.range.length().ns);
    });
    std::vector<std::vector<QuerySlice>> rows;
    using Busy = std::pair<TraceTime, size_t>; // end, row
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::set<size_t> free;
    for (const QuerySlice& slice : slices) {
        while (!busy.empty() && busy.top().first <= slice.range.begin) {
            free.insert(busy.top().second);
            busy.pop();
        }
        if (free.empty() && rows.size() == kMaxQueryRows) {
            ++dropped;
            continue;
        }
        if (free.empty()) {
            free.insert(rows.size());
            rows.emplace_back();
        }
        const size_t row = *free.begin();
        free.erase(free.begin());
        rows[row].push_back(slice);
        busy.emplace(slice.rowEnd(), row);
    }
    return rows;
}

std::string queryLaneKey(int64_t number)
{
    return std::string(kKeyPrefix) + std::to_string(number);
}

int64_t queryOfLaneKey(std::string_view laneKey)
{
    if (!laneKey.starts_with(kKeyPrefix)) return 0;
    const std::string_view digits = laneKey.substr(kKeyPrefix.size(), laneKey.find('/') - kKeyPrefix.size());
    int64_t number = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return failed == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

} // namespace lockstep
