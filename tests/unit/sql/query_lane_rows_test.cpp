// SPDX-License-Identifier: Apache-2.0
// Tests the lanes of SQL answers: columns, rows that are left out, overlaps, limits, and that the slices are
// drawn and described but counted nowhere.
#include "core/sql/query_lane_rows.h"

#include <sstream>

#include "core/scene/next_scene.h"
#include "core/sql/sql_query.h"
#include "core/timeline/lane_kind.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr TimeRange kExtent{{0}, {1'000'000}};

std::shared_ptr<const Table> answerTo(const std::string& query, uint64_t rows = 0)
{
    static const ScenePtr kScene = test::madeScene(test::madeWorkspace(1, 1));
    auto tables = runQuery(query, kScene, {rows}, Progress());
    if (!tables) qFatal("%s", tables.error().message.c_str());
    return std::make_shared<const Table>(std::move(tables->back()));
}

QueryLanes lanesOf(const std::string& query, uint64_t rows = 0)
{
    return queryLanesOf(*answerTo(query, rows), 1, "Title", kExtent);
}

// Returns the lanes as text: "track: [begin end name] | second row".
QString textOf(const QueryLanes& lanes)
{
    std::string out;
    for (const auto& track : lanes.tracks) {
        out += track->label + ":";
        for (size_t row = 0; row < track->rows.size(); ++row) {
            out += row == 0 ? "" : " |";
            for (const QuerySlice& slice : track->rows[row])
                out += " [" + std::to_string(slice.range.begin.ns) + " " +
                       std::to_string(slice.range.end.ns) + " " + std::string(track->names->at(slice.name)) +
                       "]";
        }
        out += "\n";
    }
    return QString::fromStdString(out);
}

ScenePtr sceneWith(const QueryLaneList& lanes)
{
    SceneChange change;
    change.laneOptions = LaneOptions{.grouping = LaneGrouping::automatic, .queryLanes = lanes};
    return *nextScene(test::madeScene(test::madeWorkspace(1, 1)), change, Progress());
}

// One frame of a scene, a thousand pixels wide, with a microsecond per pixel.
struct QueryFrame {
    explicit QueryFrame(ScenePtr of) : scene(std::move(of))
    {
        flow = placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 0;
        view.size = {1'000, 600};
        view.visible = kExtent;
        list = layOut(*scene, view);
    }

    QString textOf(const std::string& key) const
    {
        std::ostringstream out;
        for (const DisplayRow& row : list.rows) {
            if (row.lane != scene->tree->find(key)) continue;
            out << "row " << row.depth << '\n';
            row.kind->write(out, row);
        }
        return QString::fromStdString(out.str());
    }
    std::vector<std::string> hover(const std::string& key, int x, int row) const
    {
        const auto lane = std::ranges::find(list.lanes, scene->tree->find(key), &DisplayLane::lane);
        const Hit hit = hitTest(list, x, lane->y + row * (lane->rowHeight + 1) + lane->rowHeight / 2, 0);
        if (hit.slice.isValid()) qFatal("the slice can be selected");
        return hit.kind->hover(*scene, list, hit);
    }

    ScenePtr scene;
    LaneState state;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);
    FrameView view;
    DisplayList list;
};

} // namespace

class QueryLaneRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void tracksHaveTheOrderOfTheAnswer()
    {
        const QueryLanes lanes =
            lanesOf("SELECT column1 AS ts, column2 AS dur, column3 AS name, column4 AS track FROM (VALUES "
                    "(50, 10, 'b', 'later'), (10, 20, 'a', 'first'), (30, 5, 'c', 'later'), "
                    "(5, 0, 'instant', NULL), (7, NULL, 'null', NULL))");
        QCOMPARE(textOf(lanes), QString("later: [30 35 c] [50 60 b]\n"
                                        "first: [10 30 a]\n"
                                        "no track: [5 5 instant] [7 7 null]\n"));
        QVERIFY(lanes.value.empty() && lanes.note.empty());
        // Only ts is required; the names of time columns are accepted too.
        QCOMPARE(textOf(lanesOf("SELECT 3 AS ts")), QString("slices: [3 3 ]\n"));
        QCOMPARE(textOf(lanesOf("SELECT 3 AS ts_ns, 4 AS dur_ns")), QString("slices: [3 7 ]\n"));
        QCOMPARE(textOf(lanesOf("SELECT 3 AS ts, 4.0 AS dur, 7 AS track")), QString("7: [3 7 ]\n"));
    }

    void overlapsAreStacked()
    {
        // The longest of equal starts comes first; the topmost free row is used again.
        QCOMPARE(textOf(lanesOf("SELECT column1 AS ts, column2 AS dur, column3 AS name FROM (VALUES "
                                "(0, 10, 'short'), (0, 100, 'long'), (5, 10, 'c'), (10, 5, 'd'), "
                                "(15, 0, 'i'), (15, 0, 'j'), (100, 1, 'e'))")),
                 QString("slices: [0 100 long] [100 101 e] | [0 10 short] [10 15 d] [15 15 i] | "
                         "[5 15 c] [15 15 j]\n"));
    }

    void invalidRowsAreCounted()
    {
        const QueryLanes lanes =
            lanesOf("SELECT column1 AS ts, column2 AS dur FROM (VALUES (1, 1), (NULL, 1), (2, -1), "
                    "(3, 1.5), (4, 'x'), (5, 9223372036854775807), (2000000, 1))");
        QCOMPARE(textOf(lanes), QString("slices: [1 2 ] [2000000 2000001 ]\n"));
        QCOMPARE(lanes.value, std::string("5 rows left out"));
        QVERIFY(QString::fromStdString(lanes.note).contains("negative or not an integer: 5"));
        QVERIFY(QString::fromStdString(lanes.note).contains("outside the recorded time: 1"));
        QCOMPARE(lanesOf("SELECT 1 AS ts, -1 AS dur").value, std::string("1 row left out"));
    }

    void columnsAreRequired()
    {
        QVERIFY(canBeLanes(*answerTo("SELECT 1 AS ts")));
        QVERIFY(!canBeLanes(*answerTo("SELECT 1 AS start_ns, 1 AS dur")));
        QVERIFY(!canBeLanes(*answerTo("SELECT 1.5 AS ts")));
        QVERIFY(!canBeLanes(*answerTo("SELECT 'x' AS ts")));
        QVERIFY(lanesOf("SELECT 'x' AS ts").tracks.empty());
        QCOMPARE(lanesOf("SELECT 'x' AS ts").value, std::string("no column ts"));
        QCOMPARE(lanesOf("SELECT 1 AS ts WHERE 0").value, std::string("no rows"));
    }

    void numbersAreLimited()
    {
        const std::string numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ";
        const QueryLanes many =
            lanesOf(numbers + "100) SELECT i AS ts, 1 AS dur, 'track ' || i AS track FROM n");
        QCOMPARE(many.tracks.size(), kMaxQueryTracks);
        QCOMPARE(many.value, std::string("36 rows left out"));
        QVERIFY(QString::fromStdString(many.note).contains("more than 64 tracks: 36"));
        const QueryLanes deep = lanesOf(numbers + "70) SELECT i AS ts, 1000 AS dur FROM n");
        QCOMPARE(deep.tracks.front()->rows.size(), kMaxQueryRows);
        QVERIFY(QString::fromStdString(deep.note).contains("slices of a track overlap: 6"));
        const QueryLanes cut = lanesOf(numbers + "70) SELECT i AS ts FROM n", 50);
        QCOMPARE(cut.value, std::string("first 50 rows"));
    }

    void lanesAreDrawnAndDescribed()
    {
        const auto lanes = std::make_shared<const QueryLanes>(
            lanesOf("SELECT column1 AS ts, column2 AS dur, column3 AS name, 'T' AS track FROM (VALUES "
                    "(0, 400000, 'a long one'), (100000, 50000, 'inner'), (500000, 0, 'instant'), "
                    "(500010, 20, 'x'), (700000, -1, 'bad'))"));
        const QueryFrame frame(sceneWith({lanes}));
        const LaneTree& tree = *frame.scene->tree;
        const uint32_t group = tree.find(queryLaneKey(1));
        QCOMPARE(group, 0u);
        QCOMPARE(tree.lane(group).label, std::string("Title"));
        QCOMPARE(tree.lane(group).value, std::string("1 row left out"));
        const std::string key = queryLaneKey(1) + "/track T";
        QCOMPARE(tree.pathOf(tree.find(key)), std::string("Title \u203A T"));
        QCOMPARE(queryOfLaneKey(key), 1);
        QCOMPARE(queryOfLaneKey(tree.lane(2).key), 0);
        QCOMPARE(frame.textOf(key), QString("row 0\n"
                                            "    [0, 400) other \"a long one\"\n"
                                            "    [500, 501) other\n"
                                            "row 1\n"
                                            "    [100, 150) other \"inner\"\n"));
        const std::vector<std::string> lines = frame.hover(key, 120, 1);
        QCOMPARE(lines, (std::vector<std::string>{"inner", "50 \u00B5s   start 100 \u00B5s",
                                                  "from query: Title", "Title \u203A T"}));
        const std::vector<std::string> crowded = frame.hover(key, 500, 0);
        QCOMPARE(crowded.front(), std::string("instant"));
        QCOMPARE(crowded.back(), std::string("first of 2 slices in this pixel"));
        QVERIFY(frame.hover(key, 450, 0).empty());
    }

    void emptyLanesHaveAHeader()
    {
        const QueryFrame frame(sceneWith(
            {std::make_shared<const QueryLanes>(emptyQueryLanes(7, "Slow", "running", "The query runs."))}));
        const Lane& lane = frame.scene->tree->lane(frame.scene->tree->find(queryLaneKey(7)));
        QCOMPARE(lane.value, std::string("running"));
        QVERIFY(!lane.isCollapsible());
        QVERIFY(lane.note.ends_with("The query runs."));
    }

    // The lanes change neither the reports nor the results of tables and queries.
    void lanesAreNotCounted()
    {
        const auto lanes = std::make_shared<const QueryLanes>(lanesOf("SELECT 3 AS ts, 9 AS dur"));
        const ScenePtr plain = sceneWith({}), with = sceneWith({lanes});
        QCOMPARE(with->tree->size(), plain->tree->size() + 2);
        QCOMPARE(with->dataGeneration, plain->dataGeneration);
        QCOMPARE(with->shown.keys().size(), plain->shown.keys().size());
        QVERIFY(with->extent() == plain->extent());
        const auto count = [](const ScenePtr& scene) {
            return runQuery("SELECT count(*) AS n FROM slice", scene, {}, Progress())->front().cell(0, 0);
        };
        QCOMPARE(count(with), count(plain));
        SceneChange hidden;
        hidden.shown[with->shown.keys().front()] = false;
        const ScenePtr later = *nextScene(with, hidden, Progress());
        QVERIFY(later->tree->find(queryLaneKey(1)) != kNoLane); // stays until it is removed
        QVERIFY(later->dataGeneration > with->dataGeneration);
    }
};

LOCKSTEP_TEST(QueryLaneRowsTest, "query_lane_rows_test")
#include "query_lane_rows_test.moc"
