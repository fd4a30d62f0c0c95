// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/area_tally.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

constexpr size_t kFewRuns = 48;

} // namespace

AreaTally& AreaTallying::touched(uint32_t group, TimeRange part)
{
    AreaTally& tally = m_of[group];
    if (m_isTouched[group]) return tally;
    m_isTouched[group] = true;
    m_touched.push_back(group);
    tally = {};
    tally.group = group;
    tally.first_ns = part.begin.ns;
    tally.covered_ns = m_covered != nullptr ? m_covered[group] : std::numeric_limits<int64_t>::min();
    return tally;
}

void AreaTallying::addTo(AreaTally& tally, const AreaStretchRun& run, uint32_t row, TimeRange part)
{
    const int64_t inside_ns = part.length().ns;
    tally.sum_ns += inside_ns;
    if (part.end.ns > tally.covered_ns) {
        tally.union_ns += part.end.ns - std::max(part.begin.ns, tally.covered_ns);
        tally.covered_ns = part.end.ns;
    }
    if (!run.isFirstPart(row)) return;
    ++tally.count;
    const TimeRange slice = run.slices->range(SliceId(row));
    const bool isInOne = run.run->window.begin <= slice.begin && slice.end <= run.run->window.end;
    const int64_t whole_ns = isInOne ? slice.length().ns : insideOf(*run.windows, slice);
    tally.cut += isInOne ? 0 : 1;
    const SliceRef ref{run.run->report, SliceId(row)};
    if (whole_ns < tally.longest_ns || (whole_ns == tally.longest_ns && tally.longest < ref)) return;
    tally.longest_ns = whole_ns;
    tally.longest = ref;
    tally.category = run.slices->category[row];
}

void AreaTallying::add(const AreaStretchRun& run, uint32_t row)
{
    const TimeRange part = run.partOf(row);
    addTo(touched(run.groups.at(row), part), run, row, part);
    addTo(touched(static_cast<uint32_t>(m_of.size() - 1), part), run, row, part);
}

// For few runs, a linear search for the first is faster than a heap because it does not depend on branch
// prediction.
void AreaTallying::tallyFewRuns(std::vector<AreaStretchRun>& runs, std::vector<uint32_t>& at,
                                const std::vector<AreaHead>& heads)
{
    std::vector<int64_t> begins(runs.size(), std::numeric_limits<int64_t>::max());
    for (const AreaHead& head : heads)
        begins[head.run] = head.begin_ns;
    for (size_t left = heads.size(); left > 0;) {
        size_t first = 0;
        int64_t least_ns = begins[0]; // kept in a local variable so that comparisons need no memory access
        for (size_t i = 1; i < begins.size(); ++i) {
            const bool isSooner = begins[i] < least_ns;
            least_ns = isSooner ? begins[i] : least_ns;
            first = isSooner ? i : first;
        }
        const AreaStretchRun& run = runs[first];
        add(run, run.run->row(at[first]));
        if (++at[first] < run.last) {
            begins[first] = run.partOf(run.run->row(at[first])).begin.ns;
        } else {
            begins[first] = std::numeric_limits<int64_t>::max();
            --left;
        }
    }
}

std::vector<AreaTally> AreaTallying::tally(std::vector<AreaStretchRun>& runs, const int64_t* covered)
{
    m_covered = covered;
    std::vector<AreaHead> heads;
    std::vector<uint32_t> at(runs.size());
    const auto beginOf = [&](uint32_t i) { return runs[i].partOf(runs[i].run->row(at[i])).begin.ns; };
    for (uint32_t i = 0; i < runs.size(); ++i) {
        at[i] = runs[i].first;
        if (at[i] < runs[i].last) heads.push_back({beginOf(i), i});
    }
    std::ranges::make_heap(heads, std::greater<>());
    if (runs.size() <= kFewRuns) {
        tallyFewRuns(runs, at, heads);
        heads.clear();
    }
    while (!heads.empty()) {
        // Takes slices from one run as long as this run has the earliest slice. Usually this is a single
        // slice, or all remaining ones.
        std::ranges::pop_heap(heads, std::greater<>());
        AreaHead head = heads.back();
        const AreaStretchRun& run = runs[head.run];
        const bool isAlone = heads.size() == 1;
        const int64_t limit_ns = isAlone ? std::numeric_limits<int64_t>::max() : heads.front().begin_ns;
        uint32_t& i = at[head.run];
        do {
            add(run, run.run->row(i));
            if (++i == run.last) break;
            head.begin_ns = beginOf(head.run);
        } while (head.begin_ns <= limit_ns);
        if (i == run.last) {
            heads.pop_back();
        } else {
            heads.back() = head;
            std::ranges::push_heap(heads, std::greater<>());
        }
    }
    return taken();
}

std::vector<AreaTally> AreaTallying::taken()
{
    std::vector<AreaTally> out;
    for (const uint32_t group : m_touched) {
        out.push_back(m_of[group]);
        m_isTouched[group] = false;
    }
    m_touched.clear();
    return out;
}

} // namespace lockstep
