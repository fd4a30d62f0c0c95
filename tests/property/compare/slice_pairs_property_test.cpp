// SPDX-License-Identifier: Apache-2.0
// Compares the slice pairs of two runs with a plain count, or with the order of positions if the counts
// differ. Every slice of both runs is reported exactly once, for any order of reports. Couplings equal a scan
// of all knots.
#include <rapidcheck.h>

#include <map>

#include "core/compare/slice_pairs.h"
#include "core/trace/process_groups.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kPairStep_ns = 1'000;

struct PairKernel {
    int64_t start_ns = 0, length_ns = 0;
    std::string name;
};

struct PairRank {
    int rank = 0, steps = 0;
    std::vector<PairKernel> kernels; // sorted by start, all starts differ
};

PairRank somePairRank(int rank)
{
    PairRank out{rank, *rc::gen::inRange(0, 4), {}};
    for (int64_t at = 5; at < 4 * kPairStep_ns; at += 50) {
        if (*rc::gen::inRange(0, 3) != 0) continue;
        out.kernels.push_back({at + *rc::gen::inRange<int64_t>(0, 20), *rc::gen::inRange<int64_t>(1, 20),
                               *rc::gen::element<std::string>("gemm", "norm", "copy")});
    }
    return out;
}

ScenePtr pairScene(const std::vector<PairRank>& ranks, int64_t clock_ns)
{
    Workspace workspace;
    for (const PairRank& rank : ranks) {
        test::RankReport made(rank.rank, "node0", clock_ns);
        for (int step = 0; step < rank.steps; ++step)
            made.addRange(step * kPairStep_ns, (step + 1) * kPairStep_ns, "step " + std::to_string(step + 3));
        for (const PairKernel& kernel : rank.kernels)
            made.addKernel(kernel.start_ns, kernel.start_ns + kernel.length_ns, kernel.name);
        workspace.add(made.finish());
    }
    completeIdentities(workspace);
    AlignOptions zero;
    zero.mode = AlignMode::wallclock;
    return makeScene(workspace, alignReports(workspace, zero), test::workers());
}

// Returns rank, step (-1: none), name, index among equal names; start in the report, duration.
using ByHand = std::map<std::tuple<int, int, std::string, int>, std::pair<int64_t, int64_t>>;

ByHand kernelsByHand(const PairRank& rank, bool byStep, const std::function<bool(int)>& counts)
{
    ByHand out;
    std::map<std::pair<int, std::string>, int> seen;
    for (const PairKernel& kernel : rank.kernels) {
        int step = static_cast<int>(kernel.start_ns / kPairStep_ns);
        if (!byStep || step >= rank.steps) step = -1;
        if (!counts(step)) continue;
        out[{rank.rank, step, kernel.name, seen[{step, kernel.name}]++}] = {kernel.start_ns,
                                                                            kernel.length_ns};
    }
    return out;
}

std::string pairText(int rank, const std::string& name, std::optional<int64_t> a, std::optional<int64_t> b,
                     int64_t longer)
{
    const auto time = [](std::optional<int64_t> t) { return t ? std::to_string(*t) : std::string("-"); };
    return std::to_string(rank) + " " + name + " " + time(a) + " " + time(b) + " " +
           std::to_string(a && b ? longer : 0);
}

// For a name that occurs more often in one pane: the number of pairs is fixed; which slices pair depends on
// position.
std::string placedText(int rank, const std::string& name, bool hasA, bool hasB)
{
    return std::to_string(rank) + " " + name + (hasA && hasB ? " by place" : hasA ? " missing" : " new");
}

std::vector<std::string> pairsByHand(const std::vector<PairRank>& a, const std::vector<PairRank>& b)
{
    std::vector<std::string> out;
    int mostA = 0, mostB = 0;
    for (const PairRank& rank : a)
        mostA = std::max(mostA, rank.steps);
    for (const PairRank& rank : b)
        mostB = std::max(mostB, rank.steps);
    const auto counts = [&](int step) { return step < std::min(mostA, mostB); };
    for (const PairRank& rank : a) {
        const auto other = std::ranges::find(b, rank.rank, &PairRank::rank);
        if (other == b.end()) continue; // reported separately
        // A pane without kernels has no lane that could lack steps.
        const bool byStep =
            (rank.steps > 0 || rank.kernels.empty()) && (other->steps > 0 || other->kernels.empty());
        const ByHand here = kernelsByHand(rank, byStep, counts);
        const ByHand there = kernelsByHand(*other, byStep, counts);
        std::map<std::tuple<int, int, std::string>, std::pair<int, int>> counted;
        const auto name = [](const auto& key) {
            return std::tuple(std::get<0>(key), std::get<1>(key), std::get<2>(key));
        };
        for (const auto& [key, kernel] : here)
            ++counted[name(key)].first;
        for (const auto& [key, kernel] : there)
            ++counted[name(key)].second;
        const auto isPlaced = [&](const auto& key) {
            const auto [inA, inB] = counted[name(key)];
            return inA != inB && inA > 0 && inB > 0;
        };
        for (const auto& [key, kernel] : here) {
            const auto at = there.find(key);
            const bool isBoth = at != there.end();
            if (isPlaced(key)) {
                out.push_back(placedText(rank.rank, std::get<2>(key), true, isBoth));
                continue;
            }
            out.push_back(pairText(rank.rank, std::get<2>(key), kernel.first,
                                   isBoth ? std::optional(at->second.first) : std::nullopt,
                                   isBoth ? at->second.second - kernel.second : 0));
        }
        for (const auto& [key, kernel] : there) {
            if (!here.contains(key) && isPlaced(key))
                out.push_back(placedText(rank.rank, std::get<2>(key), false, true));
            else if (!here.contains(key))
                out.push_back(pairText(rank.rank, std::get<2>(key), std::nullopt, kernel.first, 0));
        }
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> kernelPairs(const Scene& a, const Scene& b, const SlicePairs& pairs)
{
    std::vector<std::string> out;
    for (const SlicePair& pair : pairs.pairs) {
        const SliceRef ref = pair.isNew() ? pair.b : pair.a;
        const Scene& scene = pair.isNew() ? b : a;
        const Report& report = scene.shown.report(ref.report);
        if (report.slices.kind[ref.slice.value] != RowKind::kernel) continue;
        if (pair.isByPosition) {
            out.push_back(placedText(*scene.shown.identity(ref.report).rank.value,
                                     std::string(report.nameOf(ref.slice)), pair.a.isValid(),
                                     pair.b.isValid()));
            continue;
        }
        const auto start = [](const Scene& of, SliceRef slice) {
            return slice.isValid() ? std::optional(of.shown.report(slice.report).slices.start(slice.slice).ns)
                                   : std::nullopt;
        };
        out.push_back(pairText(*scene.shown.identity(ref.report).rank.value,
                               std::string(report.nameOf(ref.slice)), start(a, pair.a), start(b, pair.b),
                               pair.longer.ns));
    }
    std::ranges::sort(out);
    return out;
}

uint64_t changedByOrder(const SlicePairs& pairs)
{
    return static_cast<uint64_t>(std::ranges::count_if(pairs.pairs, [](const SlicePair& pair) {
        return pair.isBoth() && !pair.isByPosition && (pair.later.ns != 0 || pair.longer.ns != 0);
    }));
}

// Slices of one name in one step keep their order, whichever are omitted.
bool keepsOrder(const Scene& a, const Scene& b, const SlicePairs& pairs)
{
    std::map<std::tuple<uint32_t, int64_t, std::string_view>, int64_t> last;
    for (const SlicePair& pair : pairs.pairs) {
        if (!pair.isBoth()) continue;
        const Report& here = a.shown.report(pair.a.report);
        const Report& there = b.shown.report(pair.b.report);
        const int64_t start = there.slices.start(pair.b.slice).ns;
        const int64_t step = here.slices.start(pair.a.slice).ns / kPairStep_ns;
        const auto [at, isNew] =
            last.try_emplace({pair.a.report.value, step, here.nameOf(pair.a.slice)}, start);
        if (!isNew && start < at->second) return false;
        at->second = start;
    }
    return true;
}

void pairsAreThoseOfCounting()
{
    std::vector<PairRank> a, b;
    for (int rank = *rc::gen::inRange(0, 2); rank < 4; ++rank)
        a.push_back(somePairRank(rank));
    const int ranks = *rc::gen::inRange(1, 5);
    for (int rank = 0; rank < ranks; ++rank)
        b.push_back(somePairRank(rank));
    const ScenePtr sceneA = pairScene(a, 1'000'000), sceneB = pairScene(b, 7'000'000'000);
    const auto pairs = pairSlices({sceneA, {}}, {sceneB, {}}, Progress(test::workers()));
    RC_ASSERT(pairs.has_value());
    RC_ASSERT(kernelPairs(*sceneA, *sceneB, *pairs) == pairsByHand(a, b));
    RC_ASSERT(keepsOrder(*sceneA, *sceneB, *pairs));
    RC_ASSERT(pairs->both + pairs->missing + pairs->added == pairs->pairs.size());
    for (const PairedLane& lane : pairs->lanes) {
        const auto begin = pairs->pairs.begin() + static_cast<std::ptrdiff_t>(lane.first);
        RC_ASSERT(std::is_sorted(begin, begin + static_cast<std::ptrdiff_t>(lane.count),
                                 [](const SlicePair& x, const SlicePair& y) { return x.at < y.at; }));
    }
    std::ranges::rotate(a, a.begin() + 1);
    std::ranges::reverse(b);
    const ScenePtr turnedA = pairScene(a, 1'000'000), turnedB = pairScene(b, 7'000'000'000);
    const auto turned = pairSlices({turnedA, {}}, {turnedB, {}}, Progress());
    RC_ASSERT(kernelPairs(*turnedA, *turnedB, *turned) == kernelPairs(*sceneA, *sceneB, *pairs));
    RC_ASSERT(turned->notes == pairs->notes);
    // With the panes swapped, missing slices are new ones.
    const auto back = pairSlices({sceneB, {}}, {sceneA, {}}, Progress());
    RC_ASSERT(back->missing == pairs->added && back->added == pairs->missing && back->both == pairs->both);
    RC_ASSERT(changedByOrder(*back) == changedByOrder(*pairs));
}

void aRunIsEqualToItself()
{
    const std::vector<PairRank> ranks = {somePairRank(0), somePairRank(1)};
    const ScenePtr scene = pairScene(ranks, 5), later = pairScene(ranks, 9'000'000'000);
    for (const ScenePtr& other : {scene, later}) {
        const auto pairs = pairSlices({scene, {}}, {other, {}}, Progress());
        RC_ASSERT(pairs->both == pairs->pairs.size() && pairs->changed == 0);
    }
}

void couplingIsTheLastKnot()
{
    std::vector<CouplingKnot> knots;
    const int count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i)
        knots.push_back({{*rc::gen::inRange<int64_t>(0, 30)}, {*rc::gen::inRange<int64_t>(0, 30)}});
    const Coupling coupling(knots);
    const TraceTime t{*rc::gen::inRange<int64_t>(-5, 40)};
    const auto expected = [&](TraceTime CouplingKnot::*half) {
        const CouplingKnot* best = nullptr; // at or before t, the last one given among the latest
        const CouplingKnot* first = nullptr;
        for (const CouplingKnot& knot : knots) {
            if (knot.*half <= t && (best == nullptr || knot.*half >= best->*half)) best = &knot;
            if (first == nullptr || knot.*half <= first->*half) first = &knot;
        }
        const CouplingKnot* const counts = best != nullptr ? best : first;
        return counts == nullptr ? Duration{} : counts->b - counts->a;
    };
    RC_ASSERT(coupling.shiftAtA(t) == expected(&CouplingKnot::a));
    RC_ASSERT(coupling.shiftAtB(t) == expected(&CouplingKnot::b));
    const TimeRange range{t, t + Duration{7}};
    RC_ASSERT(coupling.toB(range).length() == range.length());
    if (coupling.knots().size() == 1) RC_ASSERT(coupling.swapped().toB(coupling.toB(t)) == t);
}

} // namespace

class SlicePairsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void counting() { QVERIFY(rc::check(pairsAreThoseOfCounting)); }
    void itself() { QVERIFY(rc::check(aRunIsEqualToItself)); }
    void coupling() { QVERIFY(rc::check(couplingIsTheLastKnot)); }
};

LOCKSTEP_TEST(SlicePairsPropertyTest, "slice_pairs_property_test")
#include "slice_pairs_property_test.moc"
