// SPDX-License-Identifier: Apache-2.0
// Tests the rank map in the window: a click expands a rank below it, and another collapses it. Labels above
// it sort and color, the card names the rank of a line, and a map is never taller than the visible area.
#include "ui/timeline/timeline_view.h"

#include <QMouseEvent>

#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/rank_map_lane.h"
#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int kLateRank = 613;

struct ShownMap {
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;

    explicit ShownMap(const ScenePtr& scene, QSize size = {1600, 900}, const Theme& theme = darkTheme())
    {
        view.navigation().setReducedMotion(true);
        view.setTheme(theme);
        view.resize(size);
        view.setScene(scene);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
    }

    const DisplayRow* mapRow()
    {
        for (const DisplayRow& row : view.displayList().rows) {
            if (row.data.as<RankMapRowData>() != nullptr) return &row;
        }
        return nullptr;
    }
    const RankMap& map() { return *mapRow()->data.as<RankMapRowData>()->map; }
    // Returns a point on the line that shows the rank.
    QPoint pointOf(int rank)
    {
        const DisplayRow& row = *mapRow();
        for (const RankMap::Line& line : map().lines()) {
            if (map().representativeOf(line).number != rank) continue;
            const int top = row.y + row.height - map().height();
            return {view.displayList().headerWidth + 400, top + (line.top + line.bottom) / 2};
        }
        return {};
    }
    bool showsLaneOf(int rank)
    {
        for (const DisplayLane& lane : view.displayList().lanes) {
            if (rankOf(view.state().tree().lane(lane.lane)) == rank) return true;
        }
        return false;
    }
    void keep(const char* name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) view.grab().save(folder + "/" + name + ".png");
    }
};

} // namespace

class RankMapViewTest : public QObject {
    Q_OBJECT

    ScenePtr m_scene;

  private slots:
    void initTestCase() { m_scene = test::manyRanks({1'024, kLateRank, 808}); }

    void thousandRanksFitAndOneExpands()
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

    void mapFitsTheVisibleArea()
    {
        ShownMap s(m_scene, {1280, 420});
        QVERIFY(s.mapRow()->y + s.mapRow()->height <= s.canvas->height());
        s.view.resize(1280, 900);
        QTRY_VERIFY(s.map().height() > 400);
    }

    // Labels and legend do not depend on time, so a collapsed gap does not change them.
    void collapsedGapsDoNotCoverLabels()
    {
        const test::ManyRanks ranks{128, 77, 50};
        test::ManyRanks paused = ranks;
        paused.beforeLast_ns = 252'000'000'000;
        ShownMap plain(test::manyRanks(ranks)), folded(test::manyRanks(paused));
        const DisplayList& list = folded.view.displayList();
        const auto parts = list.scale.parts();
        const auto band = std::ranges::find_if(parts, &ScalePart::isFolded);
        QVERIFY(band != parts.end());
        const DisplayRow& row = *folded.mapRow();
        const int height = list.metrics.mapControls, left = list.headerWidth + band->begin;
        const QRect labels(list.headerWidth, row.y - height, list.timeWidth(), height);
        const auto isInBand = [&](const LaneText& text) {
            return text.ink && text.x < left + band->width() && left < text.x + text.width;
        };
        QVERIFY(std::ranges::any_of(list.lanes.at(0).texts, isInBand)); // part of the legend
        const QImage shown = folded.canvas->grab().toImage();
        QCOMPARE(shown.copy(labels), plain.canvas->grab().toImage().copy(labels));
        // The band continues below them.
        const QRect below(left, row.y, band->width(), 20);
        QVERIFY(shown.copy(below) != plain.canvas->grab().toImage().copy(below));
        QVERIFY(hitTest(list, left + 5, labels.top() + 1).gap.isEmpty());
        folded.keep("rank_map_folded_dark");
    }

    void lateRanksAreNamedApart()
    {
        test::ManyRanks ranks{1'024, kLateRank, 608};
        ranks.lateRanks = ranks.missingRanks = 3;
        ShownMap s(test::manyRanks(ranks));
        std::vector<QRect> names;
        QStringList late;
        const DisplayRow& row = *s.mapRow();
        for (const LaneText& text : s.view.displayList().lanes.at(0).texts) {
            const QRect rect(text.x, text.y, text.width, text.height);
            if (rect.right() >= s.view.displayList().headerWidth || text.y < row.y) continue;
            for (const QRect& other : names)
                QVERIFY2(!rect.intersects(other), text.text.c_str());
            names.push_back(rect);
            if (text.tone == LaneText::Tone::bold) late << QString::fromStdString(text.text);
        }
        QCOMPARE(late, QStringList({"rank 613", "rank 614", "rank 615"}));
        s.keep("rank_map_late_dark");
    }

    void cardNamesTheRank()
    {
        ShownMap s(m_scene);
        const QPoint at = s.pointOf(kLateRank);
        QMouseEvent move(QEvent::MouseMove, at, s.canvas->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(s.canvas, &move);
        QVERIFY(!s.view.hover().lines().isEmpty());
        QVERIFY(s.view.hover().lines().first().startsWith("rank 613"));
        s.keep("rank_map_card_dark");
    }

    void keyboardExpandsRanks()
    {
        ShownMap s(m_scene);
        s.view.setFocus();
        QApplication::setActiveWindow(&s.view);
        QTRY_VERIFY(s.view.hasFocus());
        const auto press = [&](Qt::Key key, int times = 1) {
            for (int i = 0; i < times; ++i)
                QTest::keyClick(&s.view, key);
        };
        const auto named = [&] { return s.view.hover().lines().value(0); };
        const auto isNamed = [&](int rank) { return named().startsWith(QString("rank %1 ").arg(rank)); };
        int downs = 0; // through the lanes above
        while (named().isEmpty() && downs++ < 20)
            press(Qt::Key_Down);
        QVERIFY2(isNamed(0), qPrintable(named()));
        QCOMPARE(s.view.accessibleDescription(), named());
        press(Qt::Key_Down, 7); // each rank, even where several share a line
        QVERIFY2(isNamed(7), qPrintable(named()));
        press(Qt::Key_Up, 2);
        QVERIFY2(isNamed(5), qPrintable(named()));
        QVERIFY(!s.showsLaneOf(5));
        press(Qt::Key_Return);
        QVERIFY(s.showsLaneOf(5));
        press(Qt::Key_Down);
        QVERIFY2(isNamed(6), qPrintable(named()));
        press(Qt::Key_Up);
        press(Qt::Key_Return);
        QVERIFY(!s.showsLaneOf(5));
        // The selected rank stays selected at its sorted position.
        LaneState lanes = s.view.lanes().laneState();
        lanes.rankMap.order = RankOrder::lateness;
        s.view.lanes().setLaneState(lanes);
        press(Qt::Key_Down);
        press(Qt::Key_Up);
        QVERIFY2(isNamed(5), qPrintable(named()));
        press(Qt::Key_Escape);
        QVERIFY(s.view.hover().lines().isEmpty() && s.view.accessibleDescription().isEmpty());
        press(Qt::Key_Down); // to the lanes below, or nowhere
        QVERIFY(s.view.hover().lines().isEmpty());
    }

    void selectedRankIsMarkedInBothThemes()
    {
        for (const Theme* const theme : {&darkTheme(), &lightTheme()}) {
            ShownMap s(m_scene, {1600, 900}, *theme);
            s.view.setFocus();
            QApplication::setActiveWindow(&s.view);
            QTRY_VERIFY(s.view.hasFocus());
            while (s.view.hover().lines().isEmpty())
                QTest::keyClick(&s.view, Qt::Key_Down);
            for (int i = 0; i < 100; ++i)
                QTest::keyClick(&s.view, Qt::Key_Down);
            const DisplayRow& row = *s.mapRow();
            const RankMap::Line& line = s.map().lines()[s.map().lineOf(100)];
            const int top = row.y + row.height - s.map().height();
            const QImage shown = s.canvas->grab().toImage();
            const int right = s.canvas->width() - 5; // the card is further left
            QCOMPARE(shown.pixelColor(right, top + line.top - 1), theme->text);
            QCOMPARE(shown.pixelColor(right, top + line.bottom), theme->text);
            QCOMPARE(shown.pixelColor(right, top + line.bottom + 1), theme->window);
            const QPoint arrow(s.view.displayList().headerWidth - 5, top + (line.top + line.bottom) / 2);
            QCOMPARE(shown.pixelColor(arrow), theme->accent);
            s.keep(theme->isDark ? "rank_map_marked_dark" : "rank_map_marked_light");
            QTest::keyClick(&s.view, Qt::Key_Escape);
            QVERIFY(s.canvas->grab().toImage().pixelColor(arrow) != theme->accent);
        }
    }

    void labelsSortAndColor()
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
        QCOMPARE(s.map().choice().order, RankOrder::lateness);
        QCOMPARE(*s.map().ranks().front().number, kLateRank);
        press("waiting");
        QCOMPARE(s.view.lanes().laneState().rankMap.color, RankColor::waiting);
        s.keep("rank_map_waiting_dark");
    }
};

LOCKSTEP_TEST(RankMapViewTest, "rank_map_view_test")
#include "rank_map_view_test.moc"
