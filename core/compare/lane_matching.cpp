// SPDX-License-Identifier: Apache-2.0
#include "core/compare/lane_matching.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/compare/place_matching.h"

namespace lockstep {

namespace {

constexpr uint32_t kNoUnit = ~uint32_t(0);

// A slice in one pane. The slice is the counterpart of a slice in the other pane if unit, name and number are
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

// Numbers the names that occur on a lane in either pane.
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

class LaneMatching {
  public:
    LaneMatching(const PairUnits& units, bool isStepped, bool byCollective, bool bySequence)
        : m_units(units), m_isStepped(isStepped), m_byCollective(byCollective), m_bySequence(bySequence)
    {
    }

    std::vector<PairItem> itemsOf(const LaneSide& half, const Progress& progress)
    {
        std::vector<PairItem> out;
        for (const TrackRef ref : half.tracks) {
            const Report& report = half.scene.shown.report(ref.report);
            const ClockMap& clock = half.scene.alignment.map(ref.report);
            const Track& track = report.track(ref.track);
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                if (row % 4096 == 0 && progress.isCanceled()) return {};
                PairItem item;
                item.slice = {ref.report, SliceId(row)};
                item.unit = unitOf(half, ref, item.slice.slice);
                if (item.unit == kNoUnit) continue;
                const TimeRange range = clock.alignedFromTrace(report.slices.range(item.slice.slice));
                item.start = range.begin;
                item.length = report.slices.duration(item.slice.slice);
                const CollectiveOp* const op =
                    m_byCollective ? collectiveOf(report, item.slice.slice) : nullptr;
                item.isCollective = op != nullptr;
                const bool isStep = m_isStepped && report.slices.kind[row] != RowKind::kernel &&
                                    half.steps.isNamedAsStep(ref, item.slice.slice);
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
            std::optional<PiecewiseTimeMap> axis;
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

    static bool placeName(const Named& name, const PiecewiseTimeMap& axis)
    {
        std::vector<TraceTime> a, b;
        for (const PairItem& item : name.a)
            a.push_back(axis.toB(item.start));
        for (const PairItem& item : name.b)
            b.push_back(item.start);
        const bool isLongerInA = a.size() > b.size();
        const auto partners = isLongerInA ? matchByPosition(a, b) : matchByPosition(b, a);
        if (partners.empty()) return false;
        const std::span<PairItem> longer = isLongerInA ? name.a : name.b;
        uint64_t unpaired = std::min(a.size(), b.size());
        for (size_t i = 0; i < longer.size(); ++i) {
            longer[i].number = partners[i] ? *partners[i] : unpaired++;
            longer[i].isByPosition = true;
        }
        return true;
    }

    uint32_t unitOf(const LaneSide& half, TrackRef track, SliceId slice) const
    {
        if (!m_isStepped) return m_units.isAll ? 0 : kNoUnit;
        const auto step = half.steps.stepOf(track, slice);
        if (!step) return m_units.isAll ? 0 : kNoUnit;
        const auto at = half.units.find(*step);
        return at == half.units.end() ? kNoUnit : at->second;
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

// Recorded properties of the collectives on a lane in one pane.
struct StatedOps {
    bool isAny = false, isSequenced = true;
};

StatedOps statedOps(const Scene& scene, const std::vector<TrackRef>& tracks)
{
    StatedOps out;
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

bool isStepped(const LaneSide& half)
{
    return std::ranges::all_of(half.tracks, [&](TrackRef track) { return half.steps.isStepped(track); });
}

} // namespace

MatchedLane matchLane(const PairUnits& units, const LaneSide& a, const LaneSide& b, const Progress& progress)
{
    MatchedLane out;
    out.isUnstepped = !isStepped(a) || !isStepped(b);
    const StatedOps opsA = statedOps(a.scene, a.tracks), opsB = statedOps(b.scene, b.tracks);
    const bool byCollective = opsA.isAny && opsB.isAny;
    LaneMatching matching(units, !out.isUnstepped, byCollective,
                          byCollective && opsA.isSequenced && opsB.isSequenced);
    std::vector<PairItem> itemsA = matching.itemsOf(a, progress), itemsB = matching.itemsOf(b, progress);
    if (progress.isCanceled()) return out;
    std::tie(out.placed, out.unplaced) = matching.place(itemsA, itemsB);
    out.pairs = matching.join(itemsA, itemsB);
    return out;
}

} // namespace lockstep
