// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_pairs.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace lockstep {

namespace {

SliceRow rowOf(const HalfRow& half)
{
    SliceRow row;
    row.start_ns = half.time_ns;
    row.source = half.source;
    row.name = half.name;
    row.kind = half.kind;
    row.category = half.category;
    return row;
}

bool isAsync(const HalfRow& half)
{
    return half.phase == 'b' || half.phase == 'e' || half.phase == 'n';
}

// B/E stacks belong to a thread; async stacks belong to an id, on any thread.
std::tuple<bool, uint64_t> stackOf(const HalfRow& half)
{
    return isAsync(half) ? std::tuple(true, half.key) : std::tuple(false, uint64_t(half.thread));
}

std::string placeOf(const HalfRow& half)
{
    return "byte " + std::to_string(half.source.row());
}

using Open = std::vector<const HalfRow*>;

// Returns the begin event that an end event closes: the innermost one with the same name or without a name,
// because writers may give the concurrent calls of a process the same thread. Perfetto does the same:
// src/trace_processor/importers/common/slice_tracker.cc, MatchingIncompleteSliceIndex(). For an end without a
// name, the innermost one; also for async events, whose names may differ. Returns open.end() if there is
// none. Only the innermost kMost events are compared, so that the time stays linear for damaged files.
Open::iterator beginOf(Open& open, const HalfRow& end)
{
    constexpr size_t kMost = 1'000;
    const auto last = open.rbegin() + static_cast<std::ptrdiff_t>(std::min(open.size(), kMost));
    const auto named = std::find_if(open.rbegin(), last, [&](const HalfRow* begin) {
        return begin->name == end.name || (!isAsync(end) && begin->name == StringId(0u));
    });
    if (named != last) return std::prev(named.base());
    const bool isNamed = !isAsync(end) && end.name != StringId(0u);
    return isNamed || open.empty() ? open.end() : std::prev(open.end());
}

} // namespace

std::vector<PairedRow> pairHalves(std::span<HalfRow> halves, int64_t captureEnd_ns, ImportNotes& notes)
{
    std::ranges::sort(halves, {},
                      [](const HalfRow& h) { return std::tuple(stackOf(h), h.time_ns, h.source); });
    std::vector<PairedRow> rows;
    Open open;
    const auto closeAll = [&] {
        for (const HalfRow* const begin : open) {
            notes.add("pair.begin_without_end", NoteSeverity::warning,
                      "begin events without an end: the slice extends to the end of the capture",
                      placeOf(*begin));
            PairedRow paired{rowOf(*begin), begin->lane};
            paired.row.duration_ns = std::max<int64_t>(0, captureEnd_ns - begin->time_ns);
            paired.row.flags = sliceFlag::kOpenEnd;
            rows.push_back(paired);
        }
        open.clear();
    };
    for (size_t i = 0; i < halves.size(); ++i) {
        const HalfRow& half = halves[i];
        if (i > 0 && stackOf(halves[i - 1]) != stackOf(half)) closeAll();
        if (half.phase == 'B' || half.phase == 'b') {
            open.push_back(&half);
        } else if (half.phase == 'n') {
            rows.push_back({rowOf(half), half.lane});
            rows.back().row.flags = sliceFlag::kInstant;
        } else if (const auto begin = beginOf(open, half); begin == open.end()) {
            notes.add("pair.end_without_begin", NoteSeverity::dataLoss,
                      "end events without a begin: not shown", placeOf(half));
        } else {
            rows.push_back({rowOf(**begin), (*begin)->lane});
            rows.back().row.duration_ns = half.time_ns - (*begin)->time_ns;
            open.erase(begin);
        }
    }
    closeAll();
    return rows;
}

} // namespace lockstep
