// SPDX-License-Identifier: Apache-2.0
// Tests ZoomTrail: each crumb contains the next, panning moves the last, zooming out drops crumbs.
#include "ui/models/zoom_trail.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

TimeRange range(int64_t begin, int64_t end)
{
    return {{begin}, {end}};
}

} // namespace

class ZoomTrailTest : public QObject {
    Q_OBJECT

  private slots:
    void followsTheView()
    {
        ZoomTrail trail;
        trail.visit(range(0, 10));
        QVERIFY(trail.crumbs().empty()); // the whole range is not known yet
        trail.setWhole(range(0, 1000));
        trail.visit(range(0, 1000));
        QCOMPARE(trail.crumbs().size(), size_t(1));
        trail.visit(range(100, 300));
        trail.visit(range(150, 200));
        QVERIFY(trail.crumbs() == (std::vector{range(0, 1000), range(100, 300), range(150, 200)}));
        trail.visit(range(160, 210)); // panned
        QVERIFY(trail.crumbs() == (std::vector{range(0, 1000), range(100, 300), range(160, 210)}));
        trail.visit(range(100, 300)); // back
        QVERIFY(trail.crumbs() == (std::vector{range(0, 1000), range(100, 300)}));
        trail.visit(range(-5, 1005)); // everything and more
        QVERIFY(trail.crumbs() == (std::vector{range(0, 1000)}));
    }

    // While a run is watched, the whole range grows several times per second.
    void growsWithTheData()
    {
        ZoomTrail trail;
        trail.setWhole(range(0, 1000));
        trail.visit(range(100, 300));
        trail.visit(range(150, 200));
        trail.setWhole(range(-10, 1200));
        QVERIFY(trail.crumbs() == (std::vector{range(-10, 1200), range(100, 300), range(150, 200)}));
        trail.follow(range(1100, 1200));
        trail.follow(range(1101, 1200));
        QVERIFY(trail.crumbs() == (std::vector{range(-10, 1200), range(1101, 1200)}));
        trail.setWhole(range(0, 500)); // other reports
        QVERIFY(trail.crumbs() == (std::vector{range(0, 500)}));
        trail.follow(range(0, 500));
        QCOMPARE(trail.crumbs().size(), size_t(1));
    }

    void staysShort()
    {
        ZoomTrail trail;
        trail.setWhole(range(0, 1'000'000'000));
        for (int64_t length = 300'000'000; length > 10; length /= 4)
            trail.visit(range(0, length));
        QVERIFY(trail.crumbs().size() <= 6);
        QVERIFY(trail.crumbs().back().length().ns < 50);
    }
};

LOCKSTEP_TEST(ZoomTrailTest, "zoom_trail_test")
#include "zoom_trail_test.moc"
