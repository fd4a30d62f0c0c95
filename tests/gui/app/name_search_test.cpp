// SPDX-License-Identifier: Apache-2.0
// Tests the search by name: it steps through slices and then lanes, wraps around at the end, and shows its
// position.
#include <QtTest>

#include "app/window/name_search.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class NameSearchTest : public QObject {
    Q_OBJECT

  private slots:
    void stepsThroughLanesAndWrapsAround()
    {
        Workspace workspace;
        test::MadeRank second;
        second.rank = 1;
        workspace.add(test::madeRank({}));
        workspace.add(test::madeRank(second));
        const ScenePtr scene = test::madeScene(workspace);
        NameSearch search(test::workers());
        QSignalSpy lanes(&search, &NameSearch::steppedToLane), slices(&search, &NameSearch::steppedTo);
        search.setScene(scene);
        search.setText("SMs active");
        QTRY_COMPARE(search.state(), QString("2 found"));
        QStringList found;
        for (int step = 0; step < 3; ++step) {
            search.step({}, true);
            QTRY_VERIFY(!search.isRunning());
            found.append(lanes.last().first().toString());
        }
        QVERIFY(found[0] != found[1] && found[2] == found[0]);
        QCOMPARE(search.state(), QString("1 of 2"));
        search.step({}, false);
        QTRY_COMPARE(search.state(), QString("2 of 2"));
        QCOMPARE(slices.count(), 0);
        // After another slice is selected, the search continues from there.
        search.setText("/^e/");
        QTRY_VERIFY(search.state().endsWith("found") || search.state() == "no match");
    }

    // When lane names change, the search restarts; otherwise it keeps its position.
    void survivesScenesWithTheSameLanes()
    {
        Workspace workspace;
        workspace.add(test::madeRank({}));
        const ScenePtr scene = test::madeScene(workspace);
        NameSearch search(test::workers());
        search.setScene(scene);
        search.setText("SMs active");
        QTRY_COMPARE(search.state(), QString("1 found"));
        search.step({}, true);
        QTRY_COMPARE(search.state(), QString("1 of 1"));
        search.setScene(test::madeScene(workspace));
        QCOMPARE(search.state(), QString("1 of 1"));
        test::MadeRank other;
        other.rank = 5;
        Workspace more = workspace;
        more.add(test::madeRank(other));
        search.setScene(test::madeScene(more));
        QTRY_COMPARE(search.state(), QString("2 found"));
    }
};

LOCKSTEP_TEST(NameSearchTest, "name_search_test")
#include "name_search_test.moc"
