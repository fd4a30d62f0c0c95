// SPDX-License-Identifier: Apache-2.0
// Tests rank maps: which groups become one, which ranks are unusual, which have no report, hits and texts of
// a line, and the target of a click; and that a frame only reuses valid parts of the previous one.
#include <QtTest>

#include "core/lanes/lane_filter.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/lane_kinds/rank_map_lane.h"
#include "tests/support/made_reports.h"
#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int kRanks = 128, kLate = 77, kMissing = 50;

struct MapFixture {
    MapFixture(RankMapChoice choice = {}, int mapHeight = 512,
               const test::ManyRanks& of = {kRanks, kLate, kMissing})
    {
        scene = test::manyRanks(of);
        state.rankMap = choice;
        metrics = FrameMetrics::at(1, 20, mapHeight);
        place();
    }

    void place()
    {
        const LaneFlow last = std::move(flow);
        flow = placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), metrics, &last);
    }
    const RankMap& map() const { return *flow.scrolling.at(0).map; }
    FrameView view() const
    {
        FrameView out;
        out.flow = &flow;
        out.font = &font;
        out.size = {900, 800};
        out.headerWidth = 260;
        out.visible = scene->extent();
        return out;
    }
    DisplayList list(DisplayList recycled = {}) const { return layOut(*scene, view(), std::move(recycled)); }
    // The middle of the line that shows the rank.
    Hit hitOf(const DisplayList& shown, int rank, int x = 300) const
    {
        for (const RankMap::Line& line : map().lines()) {
            for (uint32_t i = line.first; i < line.first + line.count; ++i) {
                if (map().ranks()[i].number != rank) continue;
                const int top = shown.rows.at(0).y + shown.rows[0].height - map().height();
                return hitTest(shown, shown.headerWidth + x, top + (line.top + line.bottom) / 2, 0);
            }
        }
        return {};
    }
    uint32_t laneOf(int rank) const
    {
        for (const RankMap::Rank& r : map().ranks()) {
            if (r.number == rank) return r.lane;
        }
        return kNoLane;
    }

    ScenePtr scene;
    LaneState state;
    FrameMetrics metrics;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(7);
};

uint32_t lineOf(const Hit& hit)
{
    return hit.data.as<RankMapHitData>()->line;
}

const HeatMap& heatOf(const DisplayList& list)
{
    return *list.rows.at(0).kind->heat(list.rows[0]);
}

} // namespace

class RankMapTest : public QObject {
    Q_OBJECT

  private slots:
    void manyRanksAreOnePicture()
    {
        const MapFixture s;
        QCOMPARE(s.flow.scrolling.size(), size_t(1));
        QCOMPARE(s.scene->tree->lane(s.flow.scrolling[0].lane).rankCount, uint32_t(kRanks - 1));
        QCOMPARE(s.map().ranks().size(), size_t(kRanks));
        QCOMPARE(s.map().missing(), size_t(1));
        QCOMPARE(s.map().height(), 512);
        // 4 px per rank, one taller.
        QCOMPARE(s.map().lines()[0].bottom - s.map().lines()[0].top, 4);
        for (size_t i = 1; i < s.map().lines().size(); ++i)
            QCOMPARE(s.map().lines()[i].top, s.map().lines()[i - 1].bottom);
    }

    void stragglerIsVisible()
    {
        const MapFixture s;
        int outliers = 0;
        for (const RankMap::Line& line : s.map().lines()) {
            if (!line.isOutlier) continue;
            ++outliers;
            QCOMPARE(line.count, 1u);
            QCOMPARE(*s.map().ranks()[line.first].number, kLate);
            QVERIFY(line.bottom - line.top >= 7);
        }
        QCOMPARE(outliers, 1);
        const MapFixture byLateness({RankOrder::lateness, RankColor::activity});
        QCOMPARE(*byLateness.map().ranks()[0].number, kLate);
        const MapFixture byLikeness({RankOrder::similarity, RankColor::activity});
        QCOMPARE(*byLikeness.map().ranks()[0].number, kLate);
        QCOMPARE(*byLikeness.map().ranks().back().number, kMissing); // no data about it
    }

    void linesHitTheirRanks()
    {
        const MapFixture s;
        const DisplayList list = s.list();
        const Hit hit = s.hitOf(list, kLate);
        QCOMPARE(hit.part, Hit::Part::shape);
        const auto lines = hit.kind->hover(*s.scene, list, hit);
        QVERIFY(!lines.empty());
        QCOMPARE(lines[0], std::string("rank 77 \u00B7 node9"));
        QVERIFY(lines[1].find("compute") != std::string::npos);
        QVERIFY2(lines[3].starts_with("last to arrive in 8 of 8 collectives; "), lines[3].c_str());
        const Hit missing = s.hitOf(list, kMissing);
        const auto none = missing.kind->hover(*s.scene, list, missing);
        QCOMPARE(none.at(1), std::string("no open report for this rank"));
        QCOMPARE(heatOf(list).lineAt(lineOf(missing))->category, HeatCell::kNoReport);
    }

    // Two pixels share a cell, so the picture is that of half the width.
    void manyCellsAreCoarser_data()
    {
        QTest::addColumn<RankColor>("color");
        QTest::newRow("activity") << RankColor::activity;
        QTest::newRow("busy") << RankColor::busy;
        QTest::newRow("waiting") << RankColor::waiting;
    }

    void manyCellsAreCoarser()
    {
        QFETCH(RankColor, color);
        const MapFixture s({RankOrder::rank, color}, 512, {200, kLate, kMissing});
        FrameView view = s.view();
        const auto heatAt = [&](int width) {
            view.size.width = view.headerWidth + width;
            return heatOf(layOut(*s.scene, view, {}));
        };
        const HeatMap wide = heatAt(32'000), narrow = heatAt(16'000), odd = heatAt(31'999);
        QVERIFY(size_t(narrow.width) * 200 < kMostRankCells && size_t(odd.width) * 200 > kMostRankCells);
        QCOMPARE(wide.width, 32'000);
        for (size_t line = 0; line < wide.lines.size(); ++line) {
            for (int x = 0; x < wide.width; ++x)
                QVERIFY(wide.lineAt(line)[x] == narrow.lineAt(line)[x / 2]);
        }
        QCOMPARE(odd.width, 31'999);
        for (int x = 1; x < odd.width; x += 2) // the last cell has one pixel
            QVERIFY(odd.lineAt(0)[x] == odd.lineAt(0)[x - 1]);
        QVERIFY(std::ranges::any_of(wide.cells, [](HeatCell cell) { return cell.part > 0; }));
    }

    // One host, one host per rank, and hosts that are larger or smaller than a line.
    void linesFillTheHeight()
    {
        for (const int perHost : {600, 1, 250, 8}) {
            MapFixture s({}, 512, {600, 77, -1, perHost});
            for (const int height : {64, 160, 512, 600}) {
                s.metrics = FrameMetrics::at(1, 20, height);
                s.place();
                const auto& lines = s.map().lines();
                QCOMPARE(s.map().height(), height);
                uint32_t next = 0, least = 600, most = 0;
                for (size_t i = 0; i < lines.size(); ++i) {
                    QCOMPARE(lines[i].first, next);
                    QCOMPARE(lines[i].top, i == 0 ? 0 : lines[i - 1].bottom);
                    QVERIFY(lines[i].bottom > lines[i].top);
                    next += lines[i].count;
                    if (lines[i].isOutlier) continue;
                    least = std::min(least, lines[i].count);
                    most = std::max(most, lines[i].count);
                }
                QCOMPARE(next, 600u);
                const bool isEven = most - least <= (perHost == 8 && height == 64 ? 8 : 1);
                QVERIFY2(isEven, qPrintable(QString("%1 to %2 ranks, %3 per host, %4 pixels")
                                                .arg(least)
                                                .arg(most)
                                                .arg(perHost)
                                                .arg(height)));
            }
        }
    }

    void namesDoNotOverlap()
    {
        // Late ranks at the top, in the middle and at the bottom; missing ranks that are next to them.
        for (const int late : {0, 64, 125}) {
            for (const RankOrder order : {RankOrder::rank, RankOrder::host, RankOrder::lateness}) {
                MapFixture s({order, RankColor::activity}, 512,
                             {kRanks, late, std::max(1, late - 5), 8, 3, 3});
                for (const int height : {64, 160, 512}) {
                    s.metrics = FrameMetrics::at(1, 20, height);
                    s.place();
                    const DisplayList list = s.list();
                    const DisplayRow& row = list.rows.at(0);
                    const int bottom = row.y + row.height, top = bottom - s.map().height();
                    std::vector<const LaneText*> names;
                    for (const LaneText& text : list.lanes.at(0).texts) {
                        if (text.x + text.width < list.headerWidth && text.y + text.height > top)
                            names.push_back(&text);
                    }
                    for (size_t i = 0; i < names.size(); ++i) {
                        QVERIFY(names[i]->y >= top && names[i]->y + names[i]->height <= bottom);
                        for (size_t j = 0; j < i; ++j) {
                            const auto &a = *names[i], &b = *names[j];
                            const bool isApart = a.y + a.height <= b.y || b.y + b.height <= a.y ||
                                                 a.x + a.width <= b.x || b.x + b.width <= a.x;
                            QVERIFY2(isApart, (a.text + " overlaps " + b.text).c_str());
                        }
                    }
                    QCOMPARE(std::ranges::count(names, LaneText::Tone::bold, &LaneText::tone),
                             3); // the late ranks
                }
            }
        }
    }

    // The name of rank 52 has no room because rank 50 is named.
    void cardNamesRanksWithoutRoomForAName()
    {
        const MapFixture s({RankOrder::rank, RankColor::activity}, 64, {kRanks, kLate, 50, 8, 1, 2});
        const DisplayList list = s.list();
        const auto isNamed = [&](const char* name) {
            return std::ranges::count(list.lanes.at(0).texts, name, &LaneText::text) > 0;
        };
        QVERIFY(isNamed("rank 50"));
        QVERIFY(!isNamed("rank 52"));
        const Hit hit = s.hitOf(list, 52);
        const auto lines = hit.kind->hover(*s.scene, list, hit);
        const std::string expected = "no open report for ranks 50, 52";
        QVERIFY2(std::ranges::count(lines, expected) == 1, lines.back().c_str());
    }

    // If ranks share a line, every column's most unusual rank is still visible.
    void sharedLinesShowTheUnusual()
    {
        const MapFixture s({}, 64);
        const DisplayList list = s.list();
        QVERIFY(s.map().lines()[0].count > 1);
        const Hit hit = s.hitOf(list, kMissing);
        const HeatCell* const cells = heatOf(list).lineAt(lineOf(hit));
        QCOMPARE(cells[0].category, HeatCell::kNoReport);
    }

    // Filtered or hidden ranks are not in the map either; few ranks are shown as lanes.
    void filtersApplyToTheMap()
    {
        MapFixture s;
        const auto filtered = [&](const char* text) {
            const std::vector<bool> shown = LaneFilter::make(text).value().shownLanes(*s.scene->tree);
            return placeLanes(*s.scene, s.state, shown, s.metrics, &s.flow);
        };
        const LaneFlow many = filtered("rank \\d?\\d$");
        QVERIFY(many.scrolling.at(0).map != nullptr);
        QCOMPARE(many.scrolling[0].map->ranks().size(), size_t(99)); // 0 to 99 but one
        const LaneFlow few = filtered("rank 77");
        QVERIFY(few.scrolling.at(0).map == nullptr);
        QVERIFY(std::ranges::find(few.scrolling, s.laneOf(kLate), &PlacedLane::lane) != few.scrolling.end());
        QVERIFY(few.scrolling.size() < 10);
        s.state.hide(s.scene->tree->lane(s.laneOf(kLate)), true);
        s.place();
        QCOMPARE(s.map().ranks().size(), size_t(kRanks - 2));
        QCOMPARE(s.laneOf(kLate), kNoLane);
    }

    void aClickOpensTheRankBelowTheMap()
    {
        MapFixture s;
        const DisplayList list = s.list();
        const uint32_t lane = s.laneOf(kLate);
        QVERIFY(s.hitOf(list, kLate).kind->press(*s.scene, s.hitOf(list, kLate), s.state));
        s.place();
        const auto isPlaced = [&] {
            return std::ranges::find(s.flow.scrolling, lane, &PlacedLane::lane) != s.flow.scrolling.end();
        };
        QVERIFY(isPlaced());
        QVERIFY(s.flow.scrolling[0].map != nullptr); // the map remains
        QVERIFY(s.flow.scrolling.size() < 40);       // its host and its own lanes, not those of all ranks
        const DisplayList opened = s.list();
        QVERIFY(s.hitOf(opened, kLate).kind->press(*s.scene, s.hitOf(opened, kLate), s.state));
        s.place();
        QVERIFY(!isPlaced());
        QVERIFY(!s.hitOf(opened, kMissing).kind->press(*s.scene, s.hitOf(opened, kMissing), s.state));
    }

    void labelsAboveTheMapAreChoices()
    {
        MapFixture s;
        const DisplayList list = s.list();
        for (const LaneText& text : list.lanes.at(0).texts) {
            if (text.text != "lateness") continue;
            const Hit hit = hitTest(list, text.x + text.width / 2, text.y + text.height / 2);
            QCOMPARE(hit.part, Hit::Part::choice);
            QVERIFY(hit.kind->press(*s.scene, hit, s.state));
        }
        QCOMPARE(s.state.rankMap.order, RankOrder::lateness);
    }

    void everyColoringShowsValues()
    {
        for (const RankColor color : {RankColor::activity, RankColor::busy, RankColor::waiting}) {
            const MapFixture s({RankOrder::rank, color});
            const DisplayList list = s.list();
            const auto isHighlighted = [](HeatCell cell) { return cell.part > 100; };
            QVERIFY(std::ranges::any_of(heatOf(list).cells, isHighlighted));
        }
        const MapFixture s({RankOrder::rank, RankColor::waiting});
        const DisplayList list = s.list();
        // The late rank waits for no other.
        const HeatCell* const late = heatOf(list).lineAt(lineOf(s.hitOf(list, kLate)));
        for (int x = 0; x < heatOf(list).width; ++x)
            QCOMPARE(late[x].part, uint8_t(0));
    }

    void memoryIsColoredAndDescribed()
    {
        Workspace workspace;
        for (int rank = 0; rank < int(kMinMapRanks); ++rank) {
            test::MadeRank made;
            made.rank = rank;
            made.steps = 1;
            workspace.add(test::madeRank(made));
        }
        completeIdentities(workspace);
        MapFixture s({RankOrder::rank, RankColor::memory});
        const Alignment alignment = alignReports(workspace, {});
        s.scene = makeScene(workspace, alignment, test::workers());
        s.place();
        const DisplayList list = s.list();
        QVERIFY(std::ranges::any_of(heatOf(list).cells, [](HeatCell cell) { return cell.part > 200; }));
        const Hit hit = s.hitOf(list, 5);
        const auto lines = hit.kind->hover(*s.scene, list, hit);
        QVERIFY(std::ranges::any_of(lines, [](const std::string& line) {
            return line.starts_with("memory up to ") && line.ends_with("GiB in this pixel");
        }));
    }

    // Sums over the collectives, for the process and for the whole report.
    void latenessEqualsTheOthersWait()
    {
        const ScenePtr scene = test::manyRanks({8, 3, -1});
        // Eight, all of them numbered. The others wait from 4 ms and 1 us per rank until 8 ms.
        for (const ReportKey key : scene->open.keys()) {
            const int rank = static_cast<int>(key.value);
            const RankLate* const late = scene->lateness->of(key, ProcessId(size_t(0)));
            QVERIFY(late != nullptr);
            QCOMPARE(late->collectives, uint64_t(8));
            QCOMPARE(late->timesLast, uint64_t(rank == 3 ? 8 : 0));
            QCOMPARE(late->waited_ns, rank == 3 ? 0 : 8 * (int64_t(4'000'000) - rank * 1'000));
            QCOMPARE(late->caused_ns, rank == 3 ? 8 * int64_t(4'000'000) : 0);
        }
        QVERIFY(scene->lateness->of(ReportKey(size_t(99)), ProcessId(size_t(0))) == nullptr);
    }

    void framesReuseValidPartsOfThePreviousOne()
    {
        MapFixture s;
        const std::string first = displayListText(s.list());
        DisplayList last = s.list();
        const HeatCell* const cells = heatOf(last).cells.data();
        DisplayList again = s.list(std::move(last));
        QCOMPARE(displayListText(again), first);
        QCOMPARE(heatOf(again).cells.data(), cells); // not made again
        auto next = std::make_shared<Scene>(*s.scene);
        ++next->generation;
        for (const ReportKey key : next->shown.keys())
            next->alignment.maps[key].offset_ns += 3'000'000;
        s.scene = next;
        const std::string fresh = displayListText(s.list());
        QCOMPARE(displayListText(s.list(std::move(again))), fresh);
        s.state.rankMap.order = RankOrder::busy;
        DisplayList before = s.list();
        s.place();
        QCOMPARE(displayListText(s.list(std::move(before))), displayListText(s.list()));
    }
};

LOCKSTEP_TEST(RankMapTest, "rank_map_test")
#include "rank_map_test.moc"
