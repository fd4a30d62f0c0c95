// SPDX-License-Identifier: Apache-2.0
// Compares replays of snapshots that were recorded on a GPU (snapshots/record_snapshots.py) with what
// torch.cuda.memory_stats returned during the recording.
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>

#include "core/memory/allocator_replay.h"
#include "core/memory/pool_envelopes.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

struct Recorded {
    std::shared_ptr<const Report> report;
    AllocatorReplay replay;
    nlohmann::json truth;
    std::vector<nlohmann::json> points; // those with levels, oldest first

    const DeviceReplay& device() const { return replay.devices.at(0); }
    size_t noted(std::string_view kind) const
    {
        for (const ImportNote& note : replay.notes.all()) {
            if (note.kind == kind) return note.count;
        }
        return 0;
    }
};

Recorded recorded(const std::string& name)
{
    const auto folder = lockstep::test::sourceFolder() / "tests/golden/memory/snapshots";
    Recorded out;
    out.report = readReport(folder / (name + ".pickle"), Progress(test::workers())).value();
    out.replay = replayAllocator(*out.report, Progress()).value();
    std::ifstream file(folder / (name + ".truth.json"));
    out.truth = nlohmann::json::parse(file);
    for (const auto& point : out.truth["points"]) {
        if (point.contains("active_current")) out.points.push_back(point);
    }
    return out;
}

// Returns the moments right after each `snapshot` entry.
std::vector<MemoryMoment> snapshotMoments(const Recorded& of)
{
    std::vector<MemoryMoment> out;
    for (MemoryMoment moment = 1; moment <= of.device().lastMoment(); ++moment) {
        const uint32_t row = of.device().rows[moment - 1];
        if (of.report->memory->entries.action[row] == MemoryAction::snapshot) out.push_back(moment);
    }
    return out;
}

std::string levelText(const MemoryLevels& levels)
{
    return "active " + std::to_string(levels.active) + ", allocated " + std::to_string(levels.allocated) +
           ", requested " + std::to_string(levels.requested) + ", reserved " +
           std::to_string(levels.reserved);
}

MemoryLevels levelsOf(const nlohmann::json& point, const std::string& suffix)
{
    return {point["active" + suffix], point["allocated" + suffix], point["requested" + suffix],
            point["reserved" + suffix]};
}

} // namespace

class AllocatorTruthTest : public QObject {
    Q_OBJECT

  private slots:
    void levelsEqualTheAllocators_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"plain", "expandable", "streams", "ring", "late", "oom", "graph", "annotated", "deep_stacks",
              "rounding", "random", "random_expandable", "random_late", "random_graph"})
            QTest::newRow(name) << QString(name);
    }

    void levelsEqualTheAllocators()
    {
        QFETCH(QString, name);
        const Recorded of = recorded(name.toStdString());
        const std::vector<MemoryMoment> moments = snapshotMoments(of);
        const size_t count = std::min(moments.size(), of.points.size());
        QVERIFY(count > 0);
        for (size_t back = 1; back <= count; ++back) {
            const auto& point = of.points[of.points.size() - back];
            const MemoryMoment moment = moments[moments.size() - back];
            const MemoryLevels expected = levelsOf(point, "_current");
            QCOMPARE(levelText(of.device().levelsAt(moment)), levelText(expected));
            QCOMPARE(of.device().activeAt(moment).size(), point["active_blocks"].get<size_t>());
            // The script takes the snapshot first and reads its clock afterwards.
            const int64_t entry_ns = *of.device().timeOf(*of.report->memory, moment);
            constexpr int64_t kClocks_ns = 1'000'000;
            QVERIFY(entry_ns < int64_t(point["time_ns"]) + kClocks_ns);
            if (back < count)
                QVERIFY(entry_ns > int64_t(of.points[of.points.size() - back - 1]["time_ns"]) - kClocks_ns);
            QVERIFY(of.device().momentAt(*of.report->memory, entry_ns) >= moment);
            QVERIFY(of.device().momentAt(*of.report->memory, entry_ns - 1) < moment);
        }
        QCOMPARE(levelText(of.device().levelsAt(of.device().lastMoment())),
                 levelText(levelsOf(of.truth["at_dump"], "")));
        QCOMPARE(of.noted("memory.snapshot_disagrees"), size_t(0));
        // Five blocks were allocated before the history began, and no later entry shows where they ended.
        QCOMPARE(of.noted("memory.size_unknown"), size_t(name == "random_late" ? 5 : 0));
    }

    void blocksHaveMetadataPoolAndStream()
    {
        const Recorded annotated = recorded("annotated");
        std::map<std::string, int> texts;
        for (size_t life = 0; life < annotated.device().blocks.size(); ++life) {
            const BlockLifeId id(life);
            const auto& strings = annotated.report->strings;
            ++texts[std::string(strings.at(annotated.replay.metadataOf(annotated.device(), id)))];
            ++texts[std::string(strings.at(annotated.replay.compileContextOf(annotated.device(), id)))];
        }
        QCOMPARE(texts["weights of layer 1"], 1);
        QVERIFY(texts["Torch-Compiled Region: 0/0"] > 0);
        const Recorded graph = recorded("graph");
        std::set<std::pair<uint64_t, uint64_t>> pools; // with streams
        for (size_t life = 0; life < graph.device().blocks.size(); ++life) {
            const auto pool = graph.replay.poolOf(graph.device(), BlockLifeId(life));
            QVERIFY(pool.has_value());
            pools.emplace((*pool)[0] * 10 + (*pool)[1],
                          graph.replay.streamOf(graph.device(), BlockLifeId(life)).value());
        }
        // The graph's pool (1, 0), the user's (0, 1), and the default one on both streams.
        QVERIFY(pools.contains({10, pools.rbegin()->second}) && pools.contains({1, 0}) &&
                pools.contains({0, 0}));
        QCOMPARE(pools.size(), size_t(4));
    }

    // graph.pickle: the graph's pool reserves 20 MiB, of which at most 12 MiB are active; MemPool's 3 MiB are
    // freed.
    void privatePoolsKeepTheirPeak()
    {
        const Recorded graph = recorded("graph");
        const std::vector<MemoryMoment> moments{0, 6, 9, 14, 17, graph.device().lastMoment()};
        const auto envelopes = poolEnvelopes(graph.replay, graph.device(), moments);
        QCOMPARE(envelopes.size(), size_t(2));
        constexpr int64_t kMiB = 1 << 20;
        QCOMPARE(envelopes[0].pool, (std::array<uint64_t, 2>{0, 1}));
        QCOMPARE(envelopes[0].height_bytes, (std::vector<int64_t>{0, 0, 0, 0, 20 * kMiB, 20 * kMiB}));
        QCOMPARE(envelopes[0].active_bytes, (std::vector<int64_t>{0, 0, 0, 0, 3 * kMiB, 0}));
        QCOMPARE(envelopes[1].pool, (std::array<uint64_t, 2>{1, 0}));
        QCOMPARE(envelopes[1].height_bytes,
                 (std::vector<int64_t>{0, 20 * kMiB, 20 * kMiB, 20 * kMiB, 20 * kMiB, 20 * kMiB}));
        QCOMPARE(envelopes[1].active_bytes,
                 (std::vector<int64_t>{0, 0, 12 * kMiB, 4 * kMiB, 4 * kMiB, 4 * kMiB}));
    }

    // If a history begins with an empty allocator, its peaks are known too.
    void peaksEqualTheAllocators_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"plain", "expandable", "streams", "oom", "graph", "annotated", "rounding",
                                 "random", "random_expandable", "random_graph"})
            QTest::newRow(name) << QString(name);
    }

    void peaksEqualTheAllocators()
    {
        QFETCH(QString, name);
        const Recorded of = recorded(name.toStdString());
        const std::vector<MemoryMoment> moments = snapshotMoments(of);
        QCOMPARE(moments.size(), of.points.size());
        for (size_t i = 0; i < moments.size(); ++i) {
            MemoryLevels most;
            of.device().forEachMoment(0, moments[i], [&](MemoryMoment, const MemoryLevels& levels) {
                most.active = std::max(most.active, levels.active);
                most.allocated = std::max(most.allocated, levels.allocated);
                most.requested = std::max(most.requested, levels.requested);
                most.reserved = std::max(most.reserved, levels.reserved);
            });
            QCOMPARE(levelText(most), levelText(levelsOf(of.points[i], "_peak")));
        }
        QCOMPARE(of.noted("memory.before_history"), size_t(0));
    }
};

LOCKSTEP_TEST(AllocatorTruthTest, "allocator_truth_test")
#include "allocator_truth_test.moc"
