// SPDX-License-Identifier: Apache-2.0
// Compares the search for the same slice elsewhere with a plain count, for any run and any order of its
// reports. Also tests that all slices of one name are found, lane by lane, rank by rank.
#include <rapidcheck.h>

#include "core/search/related_slices.h"
#include "core/search/same_name.h"
#include "core/trace/process_groups.h"
#include "core/trace/report_builder.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kSameStep_ns = 1'000;

struct SameKernel {
    int64_t start_ns = 0;
    int stream = 0;
    std::string name;
};

// Makes the work of one rank: kernels on two streams, in steps of one duration or without steps.
struct SameRun {
    int rank = 0, steps = 0;
    std::vector<SameKernel> kernels;
};

SameRun someSameRun(int rank)
{
    SameRun run{rank, *rc::gen::inRange(0, 4), {}};
    const int kernels = *rc::gen::inRange(0, 24);
    for (int i = 0; i < kernels; ++i) {
        // Occasionally two slices start at the same moment.
        const int64_t start = *rc::gen::inRange<int64_t>(0, 4 * kSameStep_ns) / 50 * 50;
        run.kernels.push_back(
            {start, *rc::gen::inRange(0, 2), *rc::gen::element<std::string>("gemm", "norm")});
    }
    return run;
}

std::shared_ptr<const Report> sameRunReport(const SameRun& run)
{
    ReportBuilder builder;
    builder.report().provenance.path = "made/rank" + std::to_string(run.rank);
    builder.report().identity.rank = {run.rank, "made", Confidence::stated};
    const ProcessId process = builder.process(1, 1);
    const ThreadId thread = builder.thread(process, 1);
    SliceBatch batch;
    uint64_t rows = 0;
    const auto add = [&](TrackId track, int64_t start, int64_t length, const std::string& name,
                         RowKind kind) {
        SliceRow row;
        row.start_ns = start;
        row.duration_ns = length;
        row.source = SourceRow::of(0, ++rows);
        row.name = builder.intern(name);
        row.kind = kind;
        batch.add(track, row);
    };
    const TrackId ops = builder.track({TrackKind::ops, process, thread, {}, 0, 0});
    for (int step = 0; step < run.steps; ++step)
        add(ops, step * kSameStep_ns, kSameStep_ns, "step " + std::to_string(step + 10),
            RowKind::userAnnotation);
    const DeviceId device = builder.device(process, 0);
    for (const SameKernel& kernel : run.kernels) {
        const TrackId stream =
            builder.track({TrackKind::gpuStream, process, {}, device, 7 + kernel.stream, 0});
        add(stream, kernel.start_ns, 10, kernel.name, RowKind::kernel);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

ScenePtr sameRunScene(const std::vector<SameRun>& runs)
{
    Workspace workspace;
    for (const SameRun& run : runs)
        workspace.add(sameRunReport(run));
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

// Finds, with a plain scan, the slices of the name on the streams that have it, in the order of rows.
std::vector<std::vector<uint32_t>> lanesByHand(const Report& report, std::string_view name)
{
    std::vector<std::vector<uint32_t>> lanes;
    for (const int64_t stream : {7, 8}) {
        std::vector<uint32_t> rows;
        for (uint32_t row = 0; row < report.slices.size(); ++row) {
            const Track& track = report.track(report.trackOf(SliceId(row)));
            if (track.key.kind == TrackKind::gpuStream && track.key.lane == stream &&
                report.nameOf(SliceId(row)) == name)
                rows.push_back(row);
        }
        if (!rows.empty()) lanes.push_back(rows);
    }
    return lanes;
}

int sameStepAt(const SameRun& run, int64_t start_ns)
{
    return start_ns < run.steps * kSameStep_ns ? static_cast<int>(start_ns / kSameStep_ns) : -1;
}

// Returns the position of a slice as text that does not depend on the order of reports.
std::string samePlaceText(const Scene& scene, SliceRef slice)
{
    return scene.shown.report(slice.report).provenance.path.string() + ":" +
           std::to_string(slice.slice.value);
}

std::vector<std::string> expectedSame(const Scene& scene, const std::vector<SameRun>& runs, size_t own,
                                      uint32_t row)
{
    const Report& report = scene.shown.report(scene.shown.keys()[own]);
    const std::string_view name = report.nameOf(SliceId(row));
    const auto stepOf = [](const SameRun& run, const Report& of, uint32_t at) {
        return sameStepAt(run, of.slices.start_ns[at]);
    };
    const auto lanes = lanesByHand(report, name);
    size_t lane = 0;
    while (std::ranges::find(lanes[lane], row) == lanes[lane].end())
        ++lane;
    const int step = stepOf(runs[own], report, row);
    size_t nth = 0, nthInStep = 0;
    for (const uint32_t at : lanes[lane]) {
        if (at >= row) break;
        ++nth;
        nthInStep += stepOf(runs[own], report, at) == step ? 1 : 0;
    }
    std::vector<std::string> out;
    for (size_t i = 0; i < runs.size(); ++i) {
        const Report& other = scene.shown.report(scene.shown.keys()[i]);
        const auto there = lanesByHand(other, name);
        if (lane >= there.size()) continue;
        const bool isBySteps = step >= 0 && runs[i].steps > 0;
        for (int s = isBySteps ? 0 : -1; s < (isBySteps ? runs[i].steps : 0); ++s) {
            if (i == own && (!isBySteps || s == step)) continue;
            size_t left = isBySteps ? nthInStep : nth;
            for (const uint32_t at : there[lane]) {
                if (s >= 0 && stepOf(runs[i], other, at) != s) continue;
                if (left-- == 0) {
                    out.push_back(samePlaceText(scene, {scene.shown.keys()[i], SliceId(at)}) +
                                  (s < 0 ? " report" : " step"));
                    break;
                }
            }
        }
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> foundSame(const Scene& scene, const SameSlices& same)
{
    std::vector<std::string> out;
    for (const SameSlice& one : same.found)
        out.push_back(samePlaceText(scene, one.slice) + (one.rule == SameRule::inStep ? " step" : " report"));
    std::ranges::sort(out);
    return out;
}

void findsWhatCountingFinds()
{
    std::vector<SameRun> runs;
    const int ranks = *rc::gen::inRange(1, 6);
    for (int rank = 0; rank < ranks; ++rank)
        runs.push_back(someSameRun(rank));
    const auto own = static_cast<size_t>(*rc::gen::inRange(0, ranks));
    RC_PRE(!runs[own].kernels.empty());
    const ScenePtr scene = sameRunScene(runs);
    const Report& report = scene->shown.report(scene->shown.keys()[own]);
    std::vector<uint32_t> kernels;
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.slices.kind[row] == RowKind::kernel) kernels.push_back(row);
    }
    const uint32_t row = *rc::gen::elementOf(kernels);
    const auto same = sameSlices(*scene, {scene->shown.keys()[own], SliceId(row)}, Progress(test::workers()));
    RC_ASSERT(same.has_value());
    RC_ASSERT(foundSame(*scene, *same) == expectedSame(*scene, runs, own, row));
    // Every position is found or reported as missing: once for a report without the name or without steps,
    // otherwise once per step.
    size_t places = 0;
    for (size_t i = 0; i < runs.size(); ++i) {
        const Report& other = scene->shown.report(scene->shown.keys()[i]);
        const bool isBySteps = sameStepAt(runs[own], report.slices.start_ns[row]) >= 0 && runs[i].steps > 0;
        const bool hasName = !lanesByHand(other, report.nameOf(SliceId(row))).empty();
        if (runs[i].kernels.empty()) continue; // no lane of that kind: it can't have such a slice
        places += hasName && isBySteps ? static_cast<size_t>(runs[i].steps) : 1;
    }
    RC_ASSERT(same->found.size() + same->missing.size() + 1 == places);
    // Another order of the same reports gives the same result.
    std::vector<SameRun> turned = runs;
    std::ranges::rotate(turned, turned.begin() + *rc::gen::inRange(0, ranks));
    const ScenePtr other = sameRunScene(turned);
    const auto at = std::ranges::find(turned, runs[own].rank, &SameRun::rank) - turned.begin();
    const auto again =
        sameSlices(*other, {other->shown.keys()[static_cast<size_t>(at)], SliceId(row)}, Progress());
    RC_ASSERT(foundSame(*other, *again) == foundSame(*scene, *same));
    RC_ASSERT(again->missing.size() == same->missing.size());
}

void sameNamesAreAllOfThem()
{
    Workspace workspace;
    const int reports = *rc::gen::inRange(1, 4);
    for (int i = 0; i < reports; ++i)
        workspace.add(*rc::gen::arbitrary<bool>() ? test::randomReport() : test::madeRank({.rank = i / 2}));
    completeIdentities(workspace);
    const ScenePtr scene = test::madeScene(workspace);
    const ReportKey key = *rc::gen::elementOf(scene->shown.keys());
    const Report& report = scene->shown.report(key);
    RC_PRE(report.slices.size() > 0);
    const SliceRef of{key, SliceId(*rc::gen::inRange<size_t>(0, report.slices.size()))};
    const std::string name(report.nameOf(of.slice));
    std::vector<SliceRef> all;
    for (const ReportKey other : scene->shown.keys()) {
        const Report& there = scene->shown.report(other);
        for (uint32_t row = 0; row < there.slices.size(); ++row) {
            if (there.nameOf(SliceId(row)) == name) all.push_back({other, SliceId(row)});
        }
    }
    const NameCounts counts = countSameName(*scene, of);
    RC_ASSERT(counts.everywhere == all.size());
    RC_ASSERT(countNamed(*scene, {name}) == all.size());
    RC_ASSERT(counts.lane <= counts.rank && counts.rank <= counts.everywhere && counts.lane > 0);
    for (const NameScope scope : {NameScope::lane, NameScope::rank, NameScope::everywhere}) {
        const uint64_t count = scope == NameScope::lane   ? counts.lane
                               : scope == NameScope::rank ? counts.rank
                                                          : counts.everywhere;
        const auto slices = slicesOfSameName(*scene, of, scope, kMaxSameName, Progress());
        RC_ASSERT(slices->count == count && slices->slices->size() == count);
        RC_ASSERT(std::ranges::binary_search(*slices->slices, of) && std::ranges::is_sorted(*slices->slices));
        RC_ASSERT(std::ranges::includes(all, *slices->slices));
        const auto few = slicesOfSameName(*scene, of, scope, 2, Progress());
        RC_ASSERT(few->count == count && few->slices->size() == std::min<uint64_t>(2, count));
    }
}

} // namespace

class SameSlicePropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void same() { QVERIFY(rc::check(findsWhatCountingFinds)); }
    void names() { QVERIFY(rc::check(sameNamesAreAllOfThem)); }
};

LOCKSTEP_TEST(SameSlicePropertyTest, "same_slice_property_test")
#include "same_slice_property_test.moc"
