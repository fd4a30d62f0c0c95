// SPDX-License-Identifier: Apache-2.0
// Tests that snapshots are under the GPUs of their process, in any order of files, and that descriptions of a
// moment, a block and a kernel match the history.
#include "core/lanes/memory_lanes.h"
#include "core/timeline/memory_pointing.h"

#include <numeric>

#include "core/lanes/lane_filter.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/layout.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kMi = 1 << 20;

ScenePtr sceneOf(const std::vector<std::shared_ptr<const Report>>& reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    return test::madeScene(workspace);
}

template<class Predicate>
std::vector<std::string> pathsOf(const Scene& scene, Predicate&& isWanted)
{
    std::vector<std::string> out;
    for (uint32_t lane = 0; lane < scene.tree->size(); ++lane) {
        if (isWanted(scene.tree->lane(lane))) out.push_back(scene.tree->pathOf(lane));
    }
    return out;
}

std::vector<std::string> pathsOf(const Scene& scene, LaneSubject subject)
{
    return pathsOf(scene, [subject](const Lane& lane) { return lane.subject == subject; });
}

std::vector<std::string> memoryPathsOf(const Scene& scene)
{
    return pathsOf(scene, [](const Lane& lane) { return lane.data.is<MemoryLaneData>(); });
}

bool isPlaced(const Scene& scene, uint32_t process)
{
    return scene.tree->lane(process).data.as<ProcessLaneData>()->isPlaced;
}

uint32_t firstMemoryLane(const Scene& scene)
{
    for (uint32_t lane = 0; lane < scene.tree->size(); ++lane) {
        if (scene.tree->lane(lane).data.is<MemoryLaneData>()) return lane;
    }
    return kNoLane;
}

MemoryPlace firstPlace(const Scene& scene)
{
    const uint32_t lane = firstMemoryLane(scene);
    return memoryPlaceOf(scene, lane, scene.tree->lane(lane).sources.front().report).value();
}

// Returns the n-th kernel of the report.
SliceRef kernel(ReportKey report, uint32_t n)
{
    return {report, SliceId(n)};
}

std::string factOf(const std::vector<MemoryFact>& facts, std::string_view name)
{
    for (const MemoryFact& fact : facts) {
        if (fact.name == name) return fact.value;
    }
    return "none";
}

using Paths = std::vector<std::string>;

} // namespace

class MemoryPointingTest : public QObject {
    Q_OBJECT

  private slots:
    // One process, three tools: the snapshot's lane is the last one of the GPU, in any order of arrival.
    void laneIsUnderItsGpu()
    {
        const auto snapshot = test::madeMemory({});
        const auto nsys = test::madeKernels({});
        test::MadeKernels other;
        other.tool = "Kineto";
        const auto kineto = test::madeKernels(other);
        std::vector<std::shared_ptr<const Report>> reports{snapshot, nsys, kineto};
        for (int i = 0; i < 6; ++i) {
            std::ranges::next_permutation(reports);
            const ScenePtr scene = sceneOf(reports);
            QCOMPARE(pathsOf(*scene, LaneSubject::process).size(), 1u);
            QCOMPARE(memoryPathsOf(*scene), Paths{"node0 \u00B7 rank 0 \u203A GPU 0 busy \u203A memory"});
            const uint32_t lane = firstMemoryLane(*scene);
            QVERIFY(isPlaced(*scene, scene->tree->processOf(lane)));
            // Content of the areas is not shown again as counters.
            QVERIFY(pathsOf(*scene, LaneSubject::counter).empty());
        }
    }

    void eachDeviceHasItsLane()
    {
        test::MadeMemory of;
        of.devices = 8;
        of.hasHost = true;
        test::MadeKernels kernels;
        kernels.devices = 3; // five GPUs have no recorded work
        const ScenePtr scene = sceneOf({test::madeMemory(of), test::madeKernels(kernels)});
        Paths expected;
        for (int device = 0; device < 8; ++device)
            expected.push_back("node0 \u00B7 rank 0 \u203A GPU " + std::to_string(device) +
                               (device < 3 ? " busy" : "") + " \u203A memory");
        expected.push_back("node0 \u00B7 rank 0 \u203A host memory");
        QCOMPARE(memoryPathsOf(*scene), expected);
        // Each lane shows its own device: device d has d MiB more.
        int device = 0;
        for (uint32_t lane = 0; lane < scene->tree->size(); ++lane) {
            if (!scene->tree->lane(lane).data.is<MemoryLaneData>() || device == 8) continue;
            const RowSource& source = scene->tree->lane(lane).sources.front();
            const MemoryPlace place = memoryPlaceOf(*scene, lane, source.report).value();
            QCOMPARE(place.device().device, device);
            QCOMPARE(place.device().peaks.active.levels.active, (28 + device) * kMi);
            ++device;
        }
    }

    // Two ranks are separate, and a snapshot whose file has no pid is assigned by its rank.
    void snapshotFollowsItsRank()
    {
        test::MadeMemory memory;
        memory.rank = 1;
        memory.pid = 88;
        memory.knowsPid = false;
        test::MadeKernels one;
        one.rank = 1;
        one.pid = 88;
        const ScenePtr scene =
            sceneOf({test::madeKernels({}), test::madeMemory(memory), test::madeKernels(one)});
        QCOMPARE(memoryPathsOf(*scene), Paths{"node0 \u203A rank 1 \u203A GPU 0 busy \u203A memory"});
    }

    // Two consecutive snapshots share a lane; two of the same time have one each, distinguished by file.
    void severalSnapshots()
    {
        test::MadeMemory first, later, overlapping;
        later.begin_ns = 10'000;
        later.file = "later.pickle";
        overlapping.begin_ns = 300;
        overlapping.file = "overlapping.pickle";
        const ScenePtr two = sceneOf({test::madeMemory(first), test::madeMemory(later)});
        QCOMPARE(memoryPathsOf(*two).size(), 1u);
        QCOMPARE(two->tree->lane(firstMemoryLane(*two)).sources.size(), 2u);
        const ScenePtr three = sceneOf({test::madeMemory(first), test::madeMemory(overlapping)});
        QCOMPARE(memoryPathsOf(*three),
                 (Paths{"node0 \u00B7 rank 0 \u203A GPU 0 \u203A memory \u00B7 torch_memory_rank0_pid77",
                        "node0 \u00B7 rank 0 \u203A GPU 0 \u203A memory \u00B7 overlapping"}));
    }

    void withoutTimesByIndex()
    {
        test::MadeMemory of;
        of.hasTimes = false;
        const ScenePtr beside = sceneOf({test::madeMemory(of), test::madeKernels({})});
        const Lane& lane = beside->tree->lane(firstMemoryLane(*beside));
        QCOMPARE(QString::fromStdString(lane.label), "memory \u00B7 by index");
        QVERIFY(lane.note.find("the file has no times") != std::string::npos);
        // At the time of the process's kernels; the process is as exactly aligned as they are.
        const MemoryPlace place = firstPlace(*beside);
        QCOMPARE(place.map->alignedFromTrace(place.axis().extent), beside->extent());
        QVERIFY(isPlaced(*beside, 0));
        QVERIFY(!lifeOf(place, BlockLifeId(0u)).has_value());
        const auto at = memoryAtStart(*beside, kernel(ReportKey(1u), 3));
        QCOMPARE(at.size(), 1u);
        QVERIFY(!at[0].isKnown && at[0].uncertainty.find("no times") != std::string::npos);
        QVERIFY(kernelsDuring(*beside, {ReportKey(0u), 0, BlockLifeId(0u)}, Progress()).value().empty());
        // Without other reports it has its own axis: one microsecond per entry.
        const ScenePtr alone = sceneOf({test::madeMemory(of)});
        QCOMPARE(alone->extent(), (TimeRange{{0}, {15'000}}));
        QCOMPARE(firstPlace(*alone).timeOf(3).ns, 3000);
    }

    // The color of a rank by memory comes from the snapshot if there is one.
    void ranksByMemory()
    {
        const ScenePtr scene = sceneOf({test::madeKernels({}), test::madeMemory({})});
        uint32_t process = 0;
        while (scene->tree->lane(process).subject != LaneSubject::process)
            ++process;
        const auto at = [&](int64_t begin_ns, int64_t end_ns) {
            const TraceTime zero = scene->extent().begin - Duration{100}; // of the generated reports
            return memoryOf(*scene, process, {zero + Duration{begin_ns}, zero + Duration{end_ns}})
                .value_or(-1);
        };
        QCOMPARE(at(100, 800), 28.0 * kMi);
        QCOMPARE(at(100, 149), 0.0);
        QCOMPARE(at(160, 190), 16.0 * kMi);
    }

    void searchAndFilterFindIt()
    {
        const ScenePtr scene = sceneOf({test::madeKernels({}), test::madeMemory({})});
        const SceneSearch found = SceneSearch::make(scene, "memory", Progress()).value();
        const SearchResult first = found.next({});
        QCOMPARE(scene->tree->find(first.lane), firstMemoryLane(*scene));
        const auto shown = LaneFilter::make("memory").value().shownLanes(*scene->tree);
        QVERIFY(shown[firstMemoryLane(*scene)]);
        LaneFilter only;
        only.showOnly<MemoryLaneData>();
        const std::vector<bool> memoryOnly = only.shownLanes(*scene->tree);
        // The process, its GPU and the lane, but not a stream.
        QCOMPARE(std::ranges::count(memoryOnly, true), 3);
        QVERIFY(!only.isEmpty());
    }

    // Live bytes by stack at the start of a kernel add up to the active bytes then.
    void memoryWhenAKernelStarts()
    {
        const ScenePtr scene = sceneOf({test::madeKernels({}), test::madeMemory({})});
        const MemoryPlace place = firstPlace(*scene);
        for (uint32_t n = 0; n < 13; ++n) {
            const auto answers = memoryAtStart(*scene, kernel(ReportKey(0u), n));
            QCOMPARE(answers.size(), 1u);
            const MemoryAtStart& at = answers.front();
            QVERIFY(at.isKnown);
            // Kernel n starts 10 ns after entry n: n + 1 entries have happened.
            QCOMPARE(at.levels, place.device().levelsAt(n + 1));
            int64_t sum = 0;
            for (const MemoryAtStart::Part& part : at.parts)
                sum += part.size_bytes;
            QCOMPARE(sum, at.levels.active);
        }
        const auto full = memoryAtStart(*scene, kernel(ReportKey(0u), 3)).front();
        QCOMPARE(full.parts.size(), 3u);
        QCOMPARE(QString::fromStdString(full.parts[0].stack), "train/load_weights.py:1 load_weights");
        QCOMPARE(full.parts[0].size_bytes, 16 * kMi);
        QCOMPARE(QString::fromStdString(full.parts[2].stack), "no stack was recorded");
        // The last kernel starts after the end of the history: no level is shown.
        const auto late = memoryAtStart(*scene, kernel(ReportKey(0u), 13));
        QVERIFY(!late.front().isKnown && !late.front().uncertainty.empty());
    }

    void kernelsDuringABlocksLifetime()
    {
        test::MadeKernels other;
        other.tool = "Kineto";
        other.count = 4;
        const ScenePtr scene =
            sceneOf({test::madeKernels({}), test::madeMemory({}), test::madeKernels(other)});
        const MemoryPlace place = firstPlace(*scene);
        // Activations of the first wave: allocated by entry 2 (200 ns), freed by entry 5 (350 ns).
        BlockLifeId life;
        for (uint32_t row = 0; row < place.device().blocks.size() && !life.isValid(); ++row) {
            if (place.device().blocks.size_bytes[row] == uint64_t(8 * kMi)) life = BlockLifeId(row);
        }
        const BlockRef block{place.source->report, place.source->memoryDevice, life};
        const TimeRange lives = lifeOf(place, life).value();
        QCOMPARE(lives.length().ns, 150);
        const auto kernels = kernelsDuring(*scene, block, Progress()).value();
        // Each file separately: the two tools recorded the same kernels.
        QCOMPARE(kernels.size(), 2u);
        QCOMPARE(kernels[0].count, 3u); // at 210, 260 and 310
        QCOMPARE(kernels[0].first, kernel(ReportKey(0u), 2));
        QCOMPARE(kernels[0].last, kernel(ReportKey(0u), 4));
        QCOMPARE(kernels[0].busy.ns, 90);
        QCOMPARE(kernels[1].count, 2u);
        const auto facts = blockFacts(place, life);
        QCOMPARE(QString::fromStdString(factOf(facts, "size")), "8.00 MiB  (8,388,608 B)");
        QCOMPARE(QString::fromStdString(factOf(facts, "lived")), "150 ns");
        QVERIFY(factOf(facts, "freed").find("entry 6 of 14") != std::string::npos);
        QCOMPARE(QString::fromStdString(factOf(facts, "category (guessed from the stack)")), "activations");
        const auto weights = blockFacts(place, BlockLifeId(0u));
        QCOMPARE(QString::fromStdString(factOf(weights, "freed")), "not during the recording");
    }
};

LOCKSTEP_TEST(MemoryPointingTest, "memory_pointing_test")
#include "memory_pointing_test.moc"
