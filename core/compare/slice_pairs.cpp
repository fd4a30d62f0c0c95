// SPDX-License-Identifier: Apache-2.0
#include "core/compare/slice_pairs.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/text.h"
#include "core/compare/compared_lanes.h"
#include "core/compare/lane_matching.h"

namespace lockstep {

namespace {

Result<int64_t> knownStep(const SideSteps& steps, int64_t step, const char* half)
{
    if (steps.ranges().contains(step)) return step;
    std::string known;
    for (const auto& [number, range] : steps.ranges())
        known += (known.empty() ? "" : ", ") + std::to_string(number);
    return makeError(ErrorKind::notFound,
                     std::string(half) + " has no step " + std::to_string(step) +
                         (known.empty() ? ": no steps are marked or recorded" : "; its steps: " + known));
}

// Pairs steps by number; if there are no common numbers, pairs them by order.
void addSteps(PairUnits& units, const std::map<int64_t, TimeRange>& a, const std::map<int64_t, TimeRange>& b,
              std::vector<std::string>& notes)
{
    if (a.empty() || b.empty()) return;
    for (const auto& [number, range] : a) {
        if (b.contains(number)) units.steps.push_back({number, number, range, b.at(number)});
    }
    if (units.steps.empty()) {
        notes.push_back("no step number is in both panes: steps are paired in order");
        auto other = b.begin();
        for (auto at = a.begin(); at != a.end() && other != b.end(); ++at, ++other)
            units.steps.push_back({at->first, other->first, at->second, other->second});
    }
    const auto tell = [&](size_t steps, const char* only) {
        const size_t count = steps - units.steps.size();
        if (count == 0) return;
        notes.push_back(groupedText(static_cast<int64_t>(count)) +
                        (count == 1 ? " step is only in " : " steps are only in ") + only);
    };
    tell(a.size(), "A");
    tell(b.size(), "B");
}

Result<PairUnits> unitsOf(const ComparedSide& a, const SideSteps& stepsA, const ComparedSide& b,
                          const SideSteps& stepsB, std::vector<std::string>& notes)
{
    PairUnits out;
    const auto add = [&](int64_t stepA, int64_t stepB) {
        out.steps.push_back({stepA, stepB, stepsA.ranges().at(stepA), stepsB.ranges().at(stepB)});
    };
    out.isAll = !a.step && !b.step;
    if (!out.isAll) {
        const int64_t stepA = LOCKSTEP_TRY(knownStep(stepsA, a.step ? *a.step : *b.step, "A"));
        const int64_t stepB = LOCKSTEP_TRY(knownStep(stepsB, b.step ? *b.step : *a.step, "B"));
        add(stepA, stepB);
    } else {
        addSteps(out, stepsA.ranges(), stepsB.ranges(), notes);
    }
    std::ranges::stable_sort(out.steps, {}, [](const StepPair& step) { return step.rangeA.begin; });
    for (uint32_t i = 0; i < out.steps.size(); ++i) {
        out.ofA[out.steps[i].a] = i + 1;
        out.ofB[out.steps[i].b] = i + 1;
    }
    const TimeRange wholeA = a.scene->extent(), wholeB = b.scene->extent();
    out.restShift = out.steps.empty() ? wholeB.begin - wholeA.begin : out.shiftOf(1);
    return out;
}

class PairingJob {
  public:
    PairingJob(const ComparedSide& a, const ComparedSide& b)
        : m_a(a), m_b(b), m_stepsA(*a.scene), m_stepsB(*b.scene)
    {
    }

    Result<SlicePairs> run(const Progress& progress)
    {
        LOCKSTEP_TRY(progress.check());
        m_units = LOCKSTEP_TRY(unitsOf(m_a, m_stepsA, m_b, m_stepsB, m_out.notes));
        const ComparedLanes lanes = compareLanes(*m_a.scene, *m_b.scene);
        m_made.resize(lanes.pairs.size());
        progress.workers().run(lanes.pairs.size(), [&](size_t i, size_t) {
            if (progress.isCanceled()) return;
            m_made[i] = matchLane(m_units, {*m_a.scene, m_stepsA, m_units.ofA, lanes.pairs[i].a},
                                  {*m_b.scene, m_stepsB, m_units.ofB, lanes.pairs[i].b}, progress);
        });
        LOCKSTEP_TRY(progress.check());
        gather(lanes);
        noteUnpaired(lanes);
        m_out.steps = m_units.steps;
        addKnots();
        return std::move(m_out);
    }

  private:
    void gather(const ComparedLanes& lanes)
    {
        size_t unstepped = 0, placed = 0, unplaced = 0;
        for (size_t i = 0; i < m_made.size(); ++i) {
            unstepped += m_made[i].isUnstepped ? 1 : 0;
            placed += m_made[i].placed;
            unplaced += m_made[i].unplaced;
            const std::vector<SlicePair>& made = m_made[i].pairs;
            if (made.empty()) continue;
            m_out.lanes.push_back(
                {lanes.pairs[i].label, m_out.pairs.size(), made.size(), lanes.pairs[i].a, lanes.pairs[i].b});
            m_out.pairs.insert(m_out.pairs.end(), made.begin(), made.end());
            m_made[i] = {};
        }
        for (const SlicePair& pair : m_out.pairs) {
            m_out.both += pair.isBoth() ? 1 : 0;
            m_out.missing += pair.isMissing() ? 1 : 0;
            m_out.added += pair.isNew() ? 1 : 0;
            m_out.changed += pair.isBoth() && (pair.later.ns != 0 || pair.longer.ns != 0) ? 1 : 0;
        }
        const bool hasSteps = !m_stepsA.ranges().empty() || !m_stepsB.ranges().empty();
        if (unstepped > 0 && hasSteps)
            m_out.notes.push_back(groupedText(static_cast<int64_t>(unstepped)) +
                                  (unstepped == 1 ? " lane has" : " lanes have") + " no steps in one pane: " +
                                  (m_units.isAll ? "matched over its whole length" : "left out"));
        reportCounts(placed, "matched by position, between names with equal counts");
        reportCounts(unplaced, "too many to match by position, so matched by order");
        if (m_out.both == 0) m_out.notes.insert(m_out.notes.begin(), "A and B have no slice in common");
    }

    void reportCounts(size_t names, const char* how)
    {
        if (names == 0) return;
        m_out.notes.push_back(groupedText(static_cast<int64_t>(names)) +
                              (names == 1 ? " name in a lane has" : " names in their lanes have") +
                              " different counts in A and B: " + how);
    }

    void noteUnpaired(const ComparedLanes& lanes)
    {
        constexpr size_t kNamed = 3;
        for (const bool isInA : {true, false}) {
            size_t count = 0;
            std::string names;
            for (const UnpairedProcess& one : lanes.unpaired) {
                if (one.isInA != isInA || count++ >= kNamed) continue;
                names += (names.empty() ? "" : ", ") + one.label;
            }
            if (count > kNamed)
                names += " and " + groupedText(static_cast<int64_t>(count - kNamed)) + " more";
            if (count > 0) m_out.notes.push_back(std::string("only in ") + (isInA ? "A: " : "B: ") + names);
        }
    }

    void addKnots()
    {
        for (const StepPair& step : m_out.steps)
            m_out.stepKnots.push_back({step.rangeA.begin, step.rangeB.begin});
        if (m_out.stepKnots.empty()) {
            const TraceTime begin = m_a.scene->extent().begin;
            m_out.stepKnots.push_back({begin, begin + m_units.restShift});
        }
        for (const SlicePair& pair : m_out.pairs) {
            if (!pair.isBoth() || !pair.isByCollective) continue;
            const Report& other = m_b.scene->shown.report(pair.b.report);
            const TraceTime b =
                m_b.scene->alignment.map(pair.b.report).alignedFromTrace(other.slices.start(pair.b.slice));
            m_out.collectiveKnots.push_back({pair.at, b});
        }
        std::ranges::stable_sort(m_out.collectiveKnots, {}, &CouplingKnot::a);
    }

    const ComparedSide& m_a;
    const ComparedSide& m_b;
    SideSteps m_stepsA, m_stepsB;
    PairUnits m_units;
    std::vector<MatchedLane> m_made; // by pair of lanes
    SlicePairs m_out;
};

const SlicePair* pairOf(const SlicePairs& pairs, const Scene& scene, SliceRef slice,
                        std::vector<TrackRef> PairedLane::*tracks, SliceRef SlicePair::*half)
{
    if (!scene.holds(slice)) return nullptr;
    const TrackRef track{slice.report, scene.shown.report(slice.report).trackOf(slice.slice)};
    for (const PairedLane& lane : pairs.lanes) {
        if (std::ranges::find(lane.*tracks, track) == (lane.*tracks).end()) continue;
        const auto begin = pairs.pairs.begin() + static_cast<std::ptrdiff_t>(lane.first);
        const auto end = begin + static_cast<std::ptrdiff_t>(lane.count);
        const auto at = std::ranges::find(begin, end, slice, half);
        return at == end ? nullptr : &*at;
    }
    return nullptr;
}

std::string changePart(Duration by, const char* more, const char* less)
{
    if (by.ns == 0) return {};
    return durationText({std::abs(by.ns)}) + " " + (by.ns > 0 ? more : less);
}

} // namespace

Coupling SlicePairs::byCollective() const
{
    return collectiveKnots.empty() ? byStep() : Coupling(collectiveKnots);
}

const SlicePair* SlicePairs::ofA(const Scene& a, SliceRef slice) const
{
    return pairOf(*this, a, slice, &PairedLane::a, &SlicePair::a);
}

const SlicePair* SlicePairs::ofB(const Scene& b, SliceRef slice) const
{
    return pairOf(*this, b, slice, &PairedLane::b, &SlicePair::b);
}

Result<SlicePairs> pairSlices(const ComparedSide& a, const ComparedSide& b, const Progress& progress)
{
    return PairingJob(a, b).run(progress);
}

std::string slicePairsText(const SlicePairs& pairs)
{
    const auto number = [](uint64_t n) { return groupedText(static_cast<int64_t>(n)); };
    if (pairs.pairs.empty()) return "no slices to compare";
    std::string out = number(pairs.both) + " of " + number(pairs.pairs.size()) +
                      " slices in both, changed: " + number(pairs.changed);
    if (pairs.missing > 0) out += "; " + number(pairs.missing) + " missing in B";
    if (pairs.added > 0) out += "; " + number(pairs.added) + " new in B";
    return out;
}

std::string changeText(const SlicePair& pair)
{
    if (pair.isMissing()) return "missing in B";
    if (pair.isNew()) return "new in B";
    const std::string start = changePart(pair.later, "later", "earlier");
    const std::string length = changePart(pair.longer, "longer", "shorter");
    if (start.empty() && length.empty()) return "no change";
    return start + (start.empty() || length.empty() ? "" : ", ") + length;
}

std::string pairRuleText(const SlicePair& pair)
{
    if (pair.isByPosition) return "by position: A and B have different counts of this name";
    if (pair.isByCollective) return "by collective";
    return "by occurrence of its name";
}

} // namespace lockstep
