// SPDX-License-Identifier: Apache-2.0
// Tests lanes: their order, labels, keys and collapsing in generated reports; filter, state and placement.
#include "core/lanes/lane_tree.h"

#include "core/lanes/lane_filter.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/loss_lanes.h"
#include "core/search/related_slices.h"
#include "core/timeline/lane_flow.h"
#include "core/timeline/scene_search.h"
#include "tests/support/made_reports.h"
#include "tests/support/row_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::vector<std::string> treeLabels(const LaneTree& tree, LaneSubject subject)
{
    std::vector<std::string> out;
    for (const Lane& lane : tree.lanes()) {
        if (lane.subject == subject) out.push_back(lane.label);
    }
    return out;
}

} // namespace

class LaneTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void oneRankHasItsLanesInOrder()
    {
        Workspace workspace;
        workspace.add(test::madeRank({}));
        const auto made = test::madeScene(workspace);
        std::string text;
        for (uint32_t i = 0; i < made->tree->size(); ++i) {
            const Lane& lane = made->tree->lane(i);
            text += std::string(made->tree->levelOf(i) * 2u, ' ') + lane.label +
                    (lane.value.empty() ? "" : " (" + lane.value + ")") + "\n";
        }
        const std::string expected("node0 \u00B7 rank 0 \u00B7 actor (62 %)\n"
                                   "  phases\n"
                                   "  GPU 0 H100 busy (62 %)\n"
                                   "    stream 7 \u00B7 compute (54 %)\n"
                                   "    stream 20 \u00B7 NCCL (18 %)\n"
                                   "    stream 21 \u00B7 copies (3 %)\n"
                                   "    NVTX (projected)\n"
                                   "    memory used (57.7 GiB)\n"
                                   "    SMs active (90 %)\n"
                                   "  thread 41613 \u00B7 main\n"
                                   "    NVTX\n"
                                   "    CUDA API\n"
                                   "    ops\n"
                                   "  thread 41650 \u00B7 pin_memory (OS runtime)\n"
                                   "  thread 41651 \u00B7 watchdog (OS runtime)\n");
        QVERIFY2(text == expected, text.c_str());
        QVERIFY(!made->tree->lane(0).startsCollapsed);
        QCOMPARE(
            made->tree->pathOf(3),
            std::string(
                "node0 \u00B7 rank 0 \u00B7 actor \u203A GPU 0 H100 busy \u203A stream 7 \u00B7 compute"));
    }

    void ranksSortAsNumbers()
    {
        Workspace workspace;
        for (const int rank : {10, 2, 1}) {
            test::MadeRank made;
            made.rank = rank;
            made.host = "node" + std::to_string(rank);
            workspace.add(test::madeRank(made));
        }
        const auto made = test::madeScene(workspace);
        QCOMPARE(
            treeLabels(*made->tree, LaneSubject::process),
            (std::vector<std::string>{"node1 \u00B7 rank 1 \u00B7 actor", "node2 \u00B7 rank 2 \u00B7 actor",
                                      "node10 \u00B7 rank 10 \u00B7 actor"}));
    }

    void manyRanksAreGroupedByHostAndFolded()
    {
        const auto made = test::madeScene(test::madeWorkspace(10, 1));
        QCOMPARE(treeLabels(*made->tree, LaneSubject::group), (std::vector<std::string>{"node0", "node1"}));
        const LaneFlow flow =
            placeLanes(*made, {}, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
        QCOMPARE(flow.scrolling.size(), size_t(22));
        QCOMPARE(flow.scrollingHeight, 22 * 21);
        const auto flat = buildLaneTree(made->shown, made->alignment, made->lods, {LaneGrouping::none});
        QCOMPARE(treeLabels(flat, LaneSubject::group).size(), size_t(0));
        const auto roles = buildLaneTree(made->shown, made->alignment, made->lods, {LaneGrouping::role});
        QCOMPARE(treeLabels(roles, LaneSubject::group), (std::vector<std::string>{"actor"}));
    }

    void saysWhenAClockIsNotPlacedAndDataIsMissing()
    {
        Workspace workspace;
        test::MadeRank rank;
        rank.utcAtZero_ns = 0;
        rank.losesRows = true;
        workspace.add(test::madeRank(rank));
        const auto made = test::madeScene(workspace);
        QCOMPARE(made->tree->lane(0).label,
                 std::string("node0 \u00B7 rank 0 \u00B7 actor \u00B7 clock not aligned"));
        QVERIFY(!made->tree->lane(0).note.empty());
        QVERIFY(made->tree->lane(1).data.is<LossLaneData>());
        QVERIFY(made->tree->lane(1).note.find("(12)") != std::string::npos);
    }

    void keysAreUniqueAndSurviveRebuilding()
    {
        const auto made = test::madeScene(test::madeWorkspace(2));
        const auto again = test::madeScene(test::madeWorkspace(2));
        for (uint32_t i = 0; i < made->tree->size(); ++i) {
            QCOMPARE(made->tree->find(made->tree->lane(i).key), i);
            QCOMPARE(again->tree->lane(i).key, made->tree->lane(i).key);
        }
    }

    void stateFoldsHidesAndPins()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        const std::vector<bool> all(made->tree->size(), true);
        LaneState state;
        const size_t before = placeLanes(*made, state, all, FrameMetrics::at(1)).scrolling.size();
        state.hidden.insert(made->tree->lane(3).key);
        QCOMPARE(placeLanes(*made, state, all, FrameMetrics::at(1)).scrolling.size(), before - 1);
        state.collapsed[made->tree->lane(0).key] = true;
        state.pinned.insert(made->tree->lane(4).key); // inside the collapsed one
        const LaneFlow flow = placeLanes(*made, state, all, FrameMetrics::at(1));
        QCOMPARE(flow.pinned.size(), size_t(1));
        QCOMPARE(flow.pinned[0].lane, 4u);
        bool isPinned = true;
        QCOMPARE(flow.placeOf(*made->tree, 5, &isPinned)->lane, 0u);
        QVERIFY(!isPinned);
    }

    void filterKeepsAncestorsAndChildren()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        const auto shown = LaneFilter::make("rank 8.*STREAM 20").value().shownLanes(*made->tree);
        std::vector<std::string> labels;
        for (uint32_t i = 0; i < shown.size(); ++i) {
            if (shown[i]) labels.push_back(made->tree->lane(i).label);
        }
        QCOMPARE(labels, (std::vector<std::string>{"node1 \u00B7 rank 8 \u00B7 actor", "GPU 0 H100 busy",
                                                   "stream 20 \u00B7 NCCL"}));
        QCOMPARE(LaneFilter::make("[").error().kind, ErrorKind::invalid);
    }

    void stepsAlongRowsAndLinks()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        const Report& report = made->shown.report(ReportKey(0u));
        const Link link = report.links.all()[3];
        const SliceRef cause{ReportKey(0u), link.cause}, effect{ReportKey(0u), link.effect};
        QCOMPARE(firstEffect(made->shown, cause), effect);
        QCOMPARE(firstCause(made->shown, effect), cause);
        const SliceRef next = sliceAfter(*made, cause);
        QCOMPARE(next.slice.value, cause.slice.value + 1);
        QCOMPARE(sliceBefore(*made, next), cause);
        const Track& track = report.track(report.trackOf(cause.slice));
        QVERIFY(!sliceBefore(*made, {ReportKey(0u), track.firstSlice}).isValid());
        QVERIFY(!firstCause(made->shown, cause).isValid());
    }

    void searchFindsNamesInOrder()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        uint64_t expected = 0;
        for (const ReportKey key : made->shown.keys()) {
            const auto& report = made->shown.shared(key);
            for (uint32_t i = 0; i < report->slices.size(); ++i) {
                expected += report->nameOf(SliceId(i)).find("nccl") != std::string_view::npos ? 1u : 0u;
            }
        }
        const auto search = SceneSearch::make(made, "NCCL", Progress()).value();
        QCOMPARE(search.count(), expected);
        SearchResult at;
        for (uint64_t i = 0; i < expected; ++i) {
            at = search.next(at);
            QCOMPARE(search.indexOf(at), i);
            QVERIFY(search.matches(at.slice));
        }
        QCOMPARE(search.indexOf(search.next(at)), uint64_t(0));
        QVERIFY(search.previous({}) == at);
        QCOMPARE(SceneSearch::make(made, "^ncclDev.*LL", Progress(), {false, true}).value().count(),
                 expected);
        QCOMPARE(SceneSearch::make(made, "no such name", Progress()).value().next({}).isEmpty(), true);
        QCOMPARE(SceneSearch::make(made, "(", Progress(), {false, true}).error().kind, ErrorKind::invalid);
        QCOMPARE(SceneSearch::make(made, "", Progress()).error().kind, ErrorKind::invalid);
    }

    // After the slices come the lanes with this name, each once; the search wraps around in both directions.
    void searchFindsCountersAndLosses()
    {
        test::MadeRank lossy;
        lossy.rank = 1;
        Workspace workspace;
        workspace.add(test::madeRank({}));
        workspace.add(test::madeRank(lossy));
        const auto made = test::madeScene(workspace);
        const auto search = SceneSearch::make(made, "sms active", Progress()).value();
        QCOMPARE(search.count(), uint64_t(2));
        const SearchResult first = search.next({}), second = search.next(first);
        QVERIFY(!first.slice.isValid() && first.lane != second.lane);
        QCOMPARE(made->tree->lane(made->tree->find(second.lane)).subject, LaneSubject::counter);
        QCOMPARE(search.indexOf(second), uint64_t(1));
        QVERIFY(search.next(second) == first && search.previous(first) == second);
        QVERIFY(search.isOf(*made->tree) && !search.isOf(LaneTree()));
        // If both have the name, slices come first; backwards from the start comes the last lane.
        const auto both = SceneSearch::make(made, "e", Progress()).value();
        QVERIFY(both.next({}).slice.isValid() && !both.previous({}).slice.isValid());
        QVERIFY(both.previous(both.next({})) == both.previous({}));
        QVERIFY(both.next(both.previous({})) == both.next({}));
    }

    // Host metrics do not turn four processes into many: their threads stay expanded.
    void hostLogsCrowdOutNoProcess()
    {
        Workspace workspace;
        for (int rank = 0; rank < 4; ++rank) {
            test::RowReport rows;
            rows.nameDomain(1, "lockstep");
            rows.range("step 1", 0, 100, 1);
            rows.range("forward", 10, 50);
            Identity identity;
            identity.rank.learn(rank, "made", Confidence::confirmed);
            const Workspace one = rows.made();
            workspace.add(one.shared(one.keys().front()), identity);
        }
        for (const char* host : {"node0", "node1"}) {
            ReportBuilder log;
            log.report().provenance.kind = "run events";
            SliceRow row;
            row.duration_ns = 100;
            row.name = log.intern("train");
            const ProcessId process = log.process(0, 0);
            SliceBatch batch;
            batch.add(log.track({TrackKind::ops, process, log.thread(process, 1), {}, 0, 0}), row);
            log.adopt(std::move(batch));
            Identity identity;
            identity.host.learn(host, "made", Confidence::confirmed);
            workspace.add(std::move(log.freeze(Progress()).value()), identity);
        }
        const auto made = test::madeScene(workspace);
        const auto labels = treeLabels(*made->tree, LaneSubject::process);
        QCOMPARE(labels.size(), size_t(6));
        std::string all;
        for (const std::string& label : labels)
            all += label + "; ";
        for (const char* host : {"node0 \u00B7 host \u00B7", "node1 \u00B7 host \u00B7"})
            QVERIFY2(all.find(host) != std::string::npos, all.c_str());
        size_t threads = 0;
        for (const Lane& lane : made->tree->lanes()) {
            if (lane.subject != LaneSubject::thread || !lane.isCollapsible()) continue;
            ++threads;
            QVERIFY2(!lane.startsCollapsed, lane.label.c_str());
        }
        QCOMPARE(threads, size_t(4));
    }

    void namesGpusAndNumbers()
    {
        QCOMPARE(shortGpuName("NVIDIA H100 80GB HBM3"), std::string("H100"));
        QCOMPARE(shortGpuName("NVIDIA GeForce RTX 4090"), std::string("GeForce RTX 4090"));
        QCOMPARE(shortGpuName(""), std::string());
        QCOMPARE(percentText(1, 1000), std::string("<1 %"));
        QCOMPARE(percentText(0, 10), std::string("0 %"));
        QCOMPARE(percentText(1, 0), std::string());
        QVERIFY(naturalLess("node2", "node10") && !naturalLess("node10", "node2") && !naturalLess("a", "a"));
        QVERIFY(naturalLess("node", "node1") && naturalLess("n02", "n3"));
    }
};

LOCKSTEP_TEST(LaneTreeTest, "lane_tree_test")
#include "lane_tree_test.moc"
