// SPDX-License-Identifier: Apache-2.0
// Tests that points snap to edges within reach, and move from edge to edge.
#include "core/timeline/snap.h"

#include <QTest>

#include "tests/support/made_reports.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class SnapTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_scene = test::madeScene(test::madeWorkspace(1, 1));
        m_report = m_scene->shown.keys()[1];
        const Report& report = m_scene->shown.report(m_report);
        // Returns the track with most slices.
        size_t best = 0;
        for (size_t i = 0; i < report.tracks.size(); ++i) {
            if (report.tracks[i].sliceCount > report.tracks[best].sliceCount) best = i;
        }
        m_track = {m_report, TrackId(best)};
        m_slice = {m_report, SliceId(report.tracks[best].firstSlice.value + 3)};
    }

    void snapsOnlyWithinReach()
    {
        const TraceTime begin = edge(false);
        const EdgePoint held = snapped(*m_scene, m_track, begin + Duration{3}, {5});
        QVERIFY(held.slice.isValid());
        QVERIFY(std::abs((held.aligned - begin).ns) <= 8);
        const EdgePoint exact = snapped(*m_scene, m_track, begin, {5});
        QCOMPARE(exact.aligned, begin);
        const EdgePoint axis = snapped(*m_scene, {}, begin, {5});
        QVERIFY(!axis.slice.isValid());
        QCOMPARE(axis.aligned, begin);
        QCOMPARE(edgeText(*m_scene, axis), std::string("not snapped"));
    }

    void snapsToCollectivesOfTheReport()
    {
        const test::SyntheticClocks clocks =
            test::makeSyntheticClocks({.hosts = 2, .ranksPerHost = 1, .steps = 2});
        const ScenePtr scene = test::madeScene(clocks.workspace);
        const ReportKey key = scene->shown.keys()[1];
        const Report& report = scene->shown.report(key);
        QVERIFY(!report.collectives.empty());
        const SliceId slice = report.collectives[0].slice;
        const TraceTime end = scene->alignment.map(key).alignedFromTrace(report.slices.end(slice));
        const EdgePoint held = snapped(*scene, {key, TrackId()}, end + Duration{2}, {5});
        QCOMPARE(held.aligned, end);
        QVERIFY(held.isEnd);
    }

    void stepsOverEveryEdgeAndBack()
    {
        EdgePoint point = snapped(*m_scene, m_track, edge(false), {0});
        std::vector<TraceTime> seen{point.aligned};
        for (int i = 0; i < 20; ++i) {
            const EdgePoint next = nextEdge(*m_scene, point, true);
            if (next == point) break;
            QVERIFY(next.aligned > point.aligned);
            point = next;
            seen.push_back(point.aligned);
        }
        QVERIFY(seen.size() > 5);
        for (size_t i = seen.size() - 1; i-- > 0;) {
            point = nextEdge(*m_scene, point, false);
            QCOMPARE(point.aligned, seen[i]);
        }
    }

    void closedReportsHaveNoEdges()
    {
        const EdgePoint held = snapped(*m_scene, m_track, edge(false), {5});
        const ScenePtr empty = test::madeScene({});
        QCOMPARE(edgeText(*empty, held), std::string("not snapped"));
        QVERIFY(nextEdge(*empty, held, true) == held);
        QVERIFY(!snapped(*empty, m_track, edge(false), {5}).slice.isValid());
    }

  private:
    TraceTime edge(bool isEnd) const
    {
        const SliceTable& slices = m_scene->shown.report(m_report).slices;
        return m_scene->alignment.map(m_report).alignedFromTrace(isEnd ? slices.end(m_slice.slice)
                                                                       : slices.start(m_slice.slice));
    }

    ScenePtr m_scene;
    ReportKey m_report;
    TrackRef m_track;
    SliceRef m_slice;
};

LOCKSTEP_TEST(SnapTest, "snap_test")
#include "snap_test.moc"
