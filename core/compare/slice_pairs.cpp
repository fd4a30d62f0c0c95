// SPDX-License-Identifier: Apache-2.0
#include "core/compare/slice_pairs.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/compare/coupling.h"
#include "core/compare/lane_pairs.h"
#include "core/compare/side.h"

namespace lockstep {

namespace {

// The units in which slices are paired: one per pair of compared steps. Unit 0 holds the slices outside all
// steps.
struct PairUnits {
    std::map<int64_t, uint32_t> ofA, ofB; // unit by step
    std::vector<StepPair> steps;          // entry i belongs to unit i + 1
    Duration restShift{};                 // the compared range for unit 0
    bool isAll = true;                    // true: no step is chosen, so slices outside steps are included

    Duration shiftOf(uint32_t unit) const
    {
        return unit == 0 ? restShift : steps[unit - 1].rangeB.begin - steps[unit - 1].rangeA.begin;
    }
};

struct LaneSide {
    const Scene& scene;
    const SideSteps& steps;
    const std::map<int64_t, uint32_t>& units;
    const std::vector<TrackRef>& tracks;
};

// The paired slices of one pair of lanes; pairs of lanes are processed in parallel.
struct LaneSlicePairs {
    std::vector<SlicePair> pairs; // sorted by `at`
    bool isUnstepped = false;     // one side has no steps
    size_t placed = 0,
           unplaced = 0; // number of names with different counts: those matched by position, and those left
                         // unmatched because they have too many slices
};

constexpr uint32_t kNoUnit = ~uint32_t(0);

// A slice on one side. The slice is the counterpart of a slice on the other side if unit, name and number are
// equal.
struct PairItem {
    uint32_t unit = kNoUnit; // unit, i.e. the pair of steps
    uint32_t name = 0;
    uint64_t number = 0;
    SliceRef slice;
    TraceTime start; // aligned
    Duration length;
    bool isCollective = false, isByPosition = false;

    auto identity() const { return std::tuple(unit, name, number); }
};

// Returns the collective of a slice if its operation is recorded.
const CollectiveOp* collectiveOf(const Report& report, SliceId slice)
{
    const auto at = std::lower_bound(report.collectives.begin(), report.collectives.end(), slice,
                                     [](const CollectiveOp& op, SliceId id) { return op.slice < id; });
    if (at == report.collectives.end() || at->slice != slice || !at->collective.isValid()) return nullptr;
    return &*at;
}

// Numbers the names that occur on a lane on either side.
class PairNames {
  public:
    uint32_t of(const Report& report, SliceId slice, const CollectiveOp* op)
    {
        if (op != nullptr) {
            return number("\n" + std::string(report.strings.at(op->collective)) + "\n" +
                          std::to_string(op->groupSize) + (op->isPointToPoint ? "p" : ""));
        }
        const auto [at, isNew] = m_ofText.try_emplace({&report, report.slices.name[slice.value].value}, 0);
        if (isNew) at->second = number(std::string(report.nameOf(slice)));
        return at->second;
    }

    // Returns the common number of all ranges that mark steps. It does not depend on the step number.
    uint32_t ofSteps() { return number("\nstep"); }

  private:
    uint32_t number(const std::string& name)
    {
        return m_ofName.try_emplace(name, static_cast<uint32_t>(m_ofName.size())).first->second;
    }

    std::map<std::pair<const Report*, uint32_t>, uint32_t> m_ofText;
    std::unordered_map<std::string, uint32_t> m_ofName;
};

// Pairs the slices of one lane. Each slice gets an identity: its unit (the pair of steps), the number of its
// name, and its occurrence of that name in the unit. Both sides are sorted by identity and joined, so slices
// with equal identities form a pair. If a name has different counts in a unit, the occurrence is assigned by
// position instead: names with equal counts map A's times to B's, and pairByPosition() finds the nearest
// partners in order. Invariant: identities are unique on each side. O(n log n), plus pairByPosition().
class LaneMatching {
  public:
    LaneMatching(const PairUnits& units, bool isStepped, bool byCollective, bool bySequence)
        : m_units(units), m_isStepped(isStepped), m_byCollective(byCollective), m_bySequence(bySequence)
    {
    }

    std::vector<PairItem> itemsOf(const LaneSide& side, const Progress& progress)
    {
        std::vector<PairItem> out;
        for (const TrackRef ref : side.tracks) {
            const Report& report = side.scene.shown.report(ref.report);
            const ClockMap& clock = side.scene.alignment.map(ref.report);
            const Track& track = report.track(ref.track);
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                if (row % 4096 == 0 && progress.isCanceled()) return {};
                PairItem item;
                item.slice = {ref.report, SliceId(row)};
                item.unit = unitOf(side, ref, item.slice.slice);
                if (item.unit == kNoUnit) continue;
                const TimeRange range = clock.alignedFromTrace(report.slices.range(item.slice.slice));
                item.start = range.begin;
                item.length = report.slices.duration(item.slice.slice);
                const CollectiveOp* const op =
                    m_byCollective ? collectiveOf(report, item.slice.slice) : nullptr;
                item.isCollective = op != nullptr;
                const bool isStep = m_isStepped && report.slices.kind[row] != RowKind::kernel &&
                                    side.steps.isNamedAsStep(ref, item.slice.slice);
                item.name = isStep ? m_names.ofSteps() : m_names.of(report, item.slice.slice, op);
                if (op != nullptr && m_bySequence) item.number = op->sequence;
                out.push_back(item);
            }
        }
        numberItems(out);
        return out;
    }

    // If a name has different counts in a unit, numbers its slices by position instead of by order. Both
    // lists must be sorted by identity and remain sorted. Returns the number of such names, and the number of
    // names that have too many slices to be numbered by position.
    std::pair<size_t, size_t> place(std::vector<PairItem>& a, std::vector<PairItem>& b) const
    {
        std::pair<size_t, size_t> out;
        if (m_bySequence) return out;
        const std::vector<Named> names = namedRuns(a, b);
        for (size_t first = 0; first < names.size();) {
            size_t end = first;
            while (end < names.size() && names[end].unit == names[first].unit)
                ++end;
            const std::span<const Named> unit(names.data() + first, end - first);
            std::optional<ProportionalCoupling> axis;
            for (const Named& name : unit) {
                if (name.a.size() == name.b.size() || name.a.empty() || name.b.empty()) continue;
                if (!axis) axis.emplace(anchorsOf(unit), m_units.shiftOf(name.unit));
                ++(placeName(name, *axis) ? out.first : out.second);
            }
            first = end;
        }
        if (out.first > 0) {
            std::ranges::stable_sort(a, {}, &PairItem::identity);
            std::ranges::stable_sort(b, {}, &PairItem::identity);
        }
        return out;
    }

    // Both lists must be sorted by identity, without duplicates.
    std::vector<SlicePair> join(const std::vector<PairItem>& a, const std::vector<PairItem>& b) const
    {
        std::vector<SlicePair> out;
        out.reserve(std::max(a.size(), b.size()));
        size_t i = 0, k = 0;
        while (i < a.size() || k < b.size()) {
            SlicePair pair;
            const bool takesA = k == b.size() || (i < a.size() && a[i].identity() <= b[k].identity());
            const bool takesB = i == a.size() || (k < b.size() && b[k].identity() <= a[i].identity());
            const PairItem& shown = takesA ? a[i] : b[k];
            const Duration shift = m_units.shiftOf(shown.unit);
            pair.at = takesA ? shown.start : shown.start - shift;
            pair.isByCollective = shown.isCollective;
            pair.isByPosition = (takesA && a[i].isByPosition) || (takesB && b[k].isByPosition);
            if (takesA) pair.a = a[i].slice;
            if (takesB) pair.b = b[k].slice;
            if (takesA && takesB) {
                pair.later = b[k].start - a[i].start - shift;
                pair.longer = b[k].length - a[i].length;
            }
            i += takesA ? 1 : 0;
            k += takesB ? 1 : 0;
            out.push_back(pair);
        }
        std::ranges::stable_sort(out, {}, &SlicePair::at);
        return out;
    }

  private:
    // All slices with the same name in one unit.
    struct Named {
        uint32_t unit = 0;
        std::span<PairItem> a, b;
    };

    static std::vector<Named> namedRuns(std::vector<PairItem>& a, std::vector<PairItem>& b)
    {
        const auto key = [](const PairItem& item) { return std::pair(item.unit, item.name); };
        const auto runAt = [&](std::vector<PairItem>& items, size_t from, std::pair<uint32_t, uint32_t> of) {
            size_t end = from;
            while (end < items.size() && key(items[end]) == of)
                ++end;
            return std::span(items.data() + from, end - from);
        };
        std::vector<Named> out;
        for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
            const auto of = i == a.size()   ? key(b[k])
                            : k == b.size() ? key(a[i])
                                            : std::min(key(a[i]), key(b[k]));
            out.push_back({of.first, runAt(a, i, of), runAt(b, k, of)});
            i += out.back().a.size();
            k += out.back().b.size();
        }
        return out;
    }

    // Names with equal counts are the anchors relative to which the other slices are placed.
    static std::vector<CouplingKnot> anchorsOf(std::span<const Named> unit)
    {
        std::vector<CouplingKnot> out;
        for (const Named& name : unit) {
            if (name.a.size() != name.b.size()) continue;
            for (size_t i = 0; i < name.a.size(); ++i)
                out.push_back({name.a[i].start, name.b[i].start});
        }
        return out;
    }

    static bool placeName(const Named& name, const ProportionalCoupling& axis)
    {
        std::vector<TraceTime> a, b;
        for (const PairItem& item : name.a)
            a.push_back(axis.toB(item.start));
        for (const PairItem& item : name.b)
            b.push_back(item.start);
        const bool isLongerInA = a.size() > b.size();
        const auto partners = isLongerInA ? pairByPosition(a, b) : pairByPosition(b, a);
        if (partners.empty()) return false;
        const std::span<PairItem> longer = isLongerInA ? name.a : name.b;
        uint64_t unpaired = std::min(a.size(), b.size());
        for (size_t i = 0; i < longer.size(); ++i) {
            longer[i].number = partners[i] ? *partners[i] : unpaired++;
            longer[i].isByPosition = true;
        }
        return true;
    }

    uint32_t unitOf(const LaneSide& side, TrackRef track, SliceId slice) const
    {
        if (!m_isStepped) return m_units.isAll ? 0 : kNoUnit;
        const auto step = side.steps.stepOf(track, slice);
        if (!step) return m_units.isAll ? 0 : kNoUnit;
        const auto at = side.units.find(*step);
        return at == side.units.end() ? kNoUnit : at->second;
    }

    // Sorts the items, and numbers the slices with the same name and unit by start. Sequence numbers are
    // counted from the smallest one in the unit.
    void numberItems(std::vector<PairItem>& items) const
    {
        std::unordered_map<uint32_t, uint64_t> leastOf; // smallest sequence number in the unit
        for (const PairItem& item : items) {
            if (!item.isCollective || !m_bySequence) continue;
            const auto [at, isNew] = leastOf.try_emplace(item.unit, item.number);
            if (!isNew) at->second = std::min(at->second, item.number);
        }
        std::ranges::stable_sort(items, {}, [](const PairItem& item) {
            return std::tuple(item.unit, item.name, item.start, item.slice.slice);
        });
        for (size_t i = 0; i < items.size(); ++i) {
            PairItem& item = items[i];
            const bool isSame = i > 0 && items[i - 1].unit == item.unit && items[i - 1].name == item.name;
            if (item.isCollective && m_bySequence)
                item.number -= leastOf.at(item.unit);
            else
                item.number = isSame ? items[i - 1].number + 1 : 0;
        }
        if (m_bySequence) std::ranges::stable_sort(items, {}, &PairItem::identity);
    }

    const PairUnits& m_units;
    bool m_isStepped, m_byCollective, m_bySequence;
    PairNames m_names;
};

// Recorded properties of the collectives on a lane on one side.
struct RecordedOps {
    bool isAny = false, isSequenced = true;
};

RecordedOps recordedOps(const Scene& scene, const std::vector<TrackRef>& tracks)
{
    RecordedOps out;
    std::vector<std::pair<std::string_view, uint64_t>> seen;
    for (const TrackRef ref : tracks) {
        const Report& report = scene.shown.report(ref.report);
        const Track& track = report.track(ref.track);
        const auto first =
            std::lower_bound(report.collectives.begin(), report.collectives.end(), track.firstSlice,
                             [](const CollectiveOp& op, SliceId id) { return op.slice < id; });
        for (auto at = first; at != report.collectives.end(); ++at) {
            if (at->slice.value >= track.firstSlice.value + track.sliceCount) break;
            if (!at->collective.isValid()) continue;
            out.isAny = true;
            // Each group numbers its sequences independently, and so do sends and receives.
            out.isSequenced &= at->sequence != CollectiveOp::kAbsentCount && !at->isPointToPoint;
            seen.emplace_back(at->group.isValid() ? report.strings.at(at->group) : std::string_view(),
                              at->sequence);
        }
    }
    std::ranges::sort(seen);
    const bool isOneGroup = seen.empty() || seen.front().first == seen.back().first;
    out.isSequenced &= isOneGroup && std::ranges::adjacent_find(seen) == seen.end();
    return out;
}

bool isStepped(const LaneSide& side)
{
    return std::ranges::all_of(side.tracks, [&](TrackRef track) { return side.steps.isStepped(track); });
}

// The result is incomplete if progress is canceled.
LaneSlicePairs pairLaneSlices(const PairUnits& units, const LaneSide& a, const LaneSide& b,
                              const Progress& progress)
{
    LaneSlicePairs out;
    out.isUnstepped = !isStepped(a) || !isStepped(b);
    const RecordedOps opsA = recordedOps(a.scene, a.tracks), opsB = recordedOps(b.scene, b.tracks);
    const bool byCollective = opsA.isAny && opsB.isAny;
    LaneMatching matching(units, !out.isUnstepped, byCollective,
                          byCollective && opsA.isSequenced && opsB.isSequenced);
    std::vector<PairItem> itemsA = matching.itemsOf(a, progress), itemsB = matching.itemsOf(b, progress);
    if (progress.isCanceled()) return out;
    std::tie(out.placed, out.unplaced) = matching.place(itemsA, itemsB);
    out.pairs = matching.join(itemsA, itemsB);
    return out;
}

Result<int64_t> knownStep(const SideSteps& steps, int64_t step, const char* side)
{
    if (steps.ranges().contains(step)) return step;
    std::string known;
    for (const auto& [number, range] : steps.ranges())
        known += (known.empty() ? "" : ", ") + std::to_string(number);
    return makeError(ErrorKind::notFound,
                     std::string(side) + " has no step " + std::to_string(step) +
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
        const LanePairs lanes = pairLanes(*m_a.scene, *m_b.scene);
        m_made.resize(lanes.pairs.size());
        progress.workers().run(lanes.pairs.size(), [&](size_t i, size_t) {
            if (progress.isCanceled()) return;
            m_made[i] = pairLaneSlices(m_units, {*m_a.scene, m_stepsA, m_units.ofA, lanes.pairs[i].a},
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
    void gather(const LanePairs& lanes)
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

    void noteUnpaired(const LanePairs& lanes)
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
    std::vector<LaneSlicePairs> m_made; // by pair of lanes
    SlicePairs m_out;
};

const SlicePair* pairOf(const SlicePairs& pairs, const Scene& scene, SliceRef slice,
                        std::vector<TrackRef> PairedLane::*tracks, SliceRef SlicePair::*side)
{
    if (!scene.holds(slice)) return nullptr;
    const TrackRef track{slice.report, scene.shown.report(slice.report).trackOf(slice.slice)};
    for (const PairedLane& lane : pairs.lanes) {
        if (std::ranges::find(lane.*tracks, track) == (lane.*tracks).end()) continue;
        const auto begin = pairs.pairs.begin() + static_cast<std::ptrdiff_t>(lane.first);
        const auto end = begin + static_cast<std::ptrdiff_t>(lane.count);
        const auto at = std::ranges::find(begin, end, slice, side);
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
