// The rank map in the window: a click opens a rank below it and another closes it, words above it sort and
// colour, the card says who a line is of, and a map is never taller than what can be seen.
#include "ui/timeline/timeline_view.h"

#include <QMouseEvent>

#include "core/timeline/lane_kind.h"
#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_canvas.h"

using namespace lockstep;

namespace {

constexpr int kLateRank = 613;

struct ShownMap {
    TimelineView view{test::workers()};
    TimelineCanvas* canvas;

    explicit ShownMap(const ScenePtr& scene, QSize size = {1600, 900}, const Theme& theme = darkTheme())
    {
        view.setReducedMotion(true);
        view.setTheme(theme);
        view.resize(size);
        view.setScene(scene);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
    }

    const DisplayRow* mapRow()
    {
        for (const DisplayRow& row : view.displayList().rows) {
            if (row.map != nullptr) return &row;
        }
        return nullptr;
    }
    // On the line that speaks for the rank.
    QPoint pointOf(int rank)
    {
        const DisplayRow& row = *mapRow();
        for (const RankMap::Line& line : row.map->lines()) {
            if (row.map->speakerOf(line).number != rank) continue;
            const int top = row.y + row.height - row.map->height();
            return {view.displayList().headerWidth + 400, top + (line.top + line.bottom) / 2};
        }
        return {};
    }
    bool showsLaneOf(int rank)
    {
        for (const DisplayLane& lane : view.displayList().lanes) {
            if (view.laneTree().lane(lane.lane).rank == rank) return true;
        }
        return false;
    }
    void keep(const char* name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_SCREENSHOTS");
        if (!folder.isEmpty()) view.grab().save(folder + "/" + name + ".png");
    }
};

} // namespace

class RankMapViewTest : public QObject {
    Q_OBJECT

    ScenePtr m_scene;

  private slots:
    void initTestCase() { m_scene = test::manyRanks({1'024, kLateRank, 808}); }

    void aThousandRanksFitAndOneOpens()
    {
        ShownMap s(m_scene);
        QVERIFY(s.mapRow() != nullptr);
        QVERIFY(s.mapRow()->y + s.mapRow()->height <= s.canvas->height());
        QVERIFY(!s.showsLaneOf(kLateRank));
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, s.pointOf(kLateRank));
        QVERIFY(s.showsLaneOf(kLateRank));
        s.keep("rank_map_opened_dark");
        ShownMap light(m_scene, {1600, 900}, lightTheme());
        QTest::mouseClick(light.canvas, Qt::LeftButton, {}, light.pointOf(kLateRank));
        light.keep("rank_map_opened_light");
        ShownMap large(m_scene, {3840, 2160});
        QTest::mouseClick(large.canvas, Qt::LeftButton, {}, large.pointOf(kLateRank));
        large.keep("rank_map_opened_4k");
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, s.pointOf(kLateRank));
        QVERIFY(!s.showsLaneOf(kLateRank));
    }

    void aMapIsNoTallerThanCanBeSeen()
    {
        ShownMap s(m_scene, {1280, 420});
        QVERIFY(s.mapRow()->y + s.mapRow()->height <= s.canvas->height());
        s.view.resize(1280, 900);
        QTRY_VERIFY(s.mapRow()->map->height() > 400);
    }

    void theCardNamesTheRank()
    {
        ShownMap s(m_scene);
        const QPoint at = s.pointOf(kLateRank);
        QMouseEvent move(QEvent::MouseMove, at, s.canvas->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(s.canvas, &move);
        QVERIFY(!s.view.hoverLines().isEmpty());
        QVERIFY(s.view.hoverLines().first().startsWith("rank 613"));
        s.keep("rank_map_card_dark");
    }

    void wordsSortAndColour()
    {
        ShownMap s(m_scene);
        const auto press = [&](const std::string& word) {
            for (const DisplayLane& lane : s.view.displayList().lanes) {
                for (const LaneText& text : lane.texts) {
                    if (text.text != word || text.choice < 0) continue;
                    QTest::mouseClick(s.canvas, Qt::LeftButton, {},
                                      {text.x + text.width / 2, text.y + text.height / 2});
                    return;
                }
            }
        };
        press("lateness");
        QCOMPARE(s.mapRow()->map->choice().order, RankOrder::lateness);
        QCOMPARE(*s.mapRow()->map->ranks().front().number, kLateRank);
        press("waiting");
        QCOMPARE(s.view.laneState().rankMap.color, RankColor::waiting);
        s.keep("rank_map_waiting_dark");
    }
};

LOCKSTEP_TEST(RankMapViewTest, "rank_map_view_test")
#include "rank_map_view_test.moc"
