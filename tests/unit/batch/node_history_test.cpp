// SPDX-License-Identifier: Apache-2.0
// Tests which nodes the next try of a batch excludes.
#include <QTest>

#include "core/batch/node_history.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class NodeHistoryTest : public QObject {
    Q_OBJECT

  private slots:
    void twoFailuresWithoutSuccess()
    {
        NodeHistory history;
        history.add("node0", NodeHistory::Outcome::failed);
        history.add("node1", NodeHistory::Outcome::succeeded);
        QVERIFY(history.exclude().empty()); // one failure may be caused by its report
        history.add("node0", NodeHistory::Outcome::failed);
        const auto added = history.exclude();
        QCOMPARE(added.size(), size_t(1));
        QCOMPARE(added[0], std::string("node0 is excluded from the next try: 2 tasks failed on it, and none "
                                       "succeeded"));
        QVERIFY(history.excluded() == std::vector<std::string>{"node0"});
        QVERIFY(history.exclude().empty()); // reported once
        QVERIFY(history.excluded() == std::vector<std::string>{"node0"});
    }

    void successOnTheNodeKeepsIt()
    {
        NodeHistory history;
        for (int i = 0; i < 5; ++i)
            history.add("node0", NodeHistory::Outcome::failed);
        history.add("node0", NodeHistory::Outcome::succeeded);
        history.add("node1", NodeHistory::Outcome::succeeded);
        QVERIFY(history.exclude().empty());
    }

    void failedNodeIsExcludedAtOnce()
    {
        NodeHistory history;
        history.add("node0", NodeHistory::Outcome::succeeded);
        history.add("node0", NodeHistory::Outcome::nodeFailed);
        history.add("node1", NodeHistory::Outcome::succeeded);
        const auto added = history.exclude();
        QCOMPARE(added.size(), size_t(1));
        QVERIFY(added[0].find("Slurm reported that it failed (NODE_FAIL)") != std::string::npos);
    }

    void neverAllNodes()
    {
        NodeHistory history;
        for (const char* node : {"node0", "node0", "node1", "node1"})
            history.add(node, NodeHistory::Outcome::failed);
        QVERIFY(history.exclude().empty());
        history.add("node2", NodeHistory::Outcome::failed); // not proven bad: the next try uses it
        QCOMPARE(history.exclude().size(), size_t(2));
        history.add("node2", NodeHistory::Outcome::failed);
        QVERIFY(history.exclude().empty());
        QVERIFY(history.excluded().empty()); // again with all of them
    }

    void tasksWithoutHost()
    {
        NodeHistory history;
        for (int i = 0; i < 3; ++i)
            history.add("", NodeHistory::Outcome::failed);
        history.add("node1", NodeHistory::Outcome::succeeded);
        QVERIFY(history.exclude().empty());
    }

    void allowAll()
    {
        NodeHistory history;
        for (const char* node : {"node0", "node0"})
            history.add(node, NodeHistory::Outcome::failed);
        history.add("node1", NodeHistory::Outcome::succeeded);
        QCOMPARE(history.exclude().size(), size_t(1));
        history.allowAll();
        QVERIFY(history.exclude().empty() && history.excluded().empty());
    }
};

LOCKSTEP_TEST(NodeHistoryTest, "node_history_test")
#include "node_history_test.moc"
