// SPDX-License-Identifier: Apache-2.0
// Tests lanes with the answers of SQL queries in a window: added in the SQL panel, described, undone, removed
// in the menu of their header, saved in the workspace file, and computed again when clocks change.
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QUndoStack>

#include "app/window/query_lanes_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/lanes/query_lanes.h"
#include "core/timeline/lane_kind.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/models/work_document.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/sql/sql_panel.h"
#include "ui/window/notices.h"

using namespace lockstep;

namespace {

constexpr const char* kQuery =
    "SELECT start_ns AS ts, duration_ns AS dur, name, 'kernels of report ' || report AS track FROM kernel "
    "UNION ALL SELECT 5, -1, 'bad', 'x' ORDER BY track";

} // namespace

class QueryLanesWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        openTraces(2);
    }

    void answerIsShownAndUndone()
    {
        const size_t before = lanes().size();
        const QSignalSpy posted(&part<Notices>(), &Notices::posted);
        ask(kQuery);
        const size_t rows = sql().table()->rowCount();
        showAsLane();
        QCOMPARE(lanes().size(), before + 3);
        const Lane& group = lanes().lane(lanes().find(queryLaneKey(1)));
        QCOMPARE(group.label, std::string("Query 1"));
        QCOMPARE(group.value, std::string("1 row left out"));
        QCOMPARE(posted.last()[0].toString(), QString("Lane \"Query 1\" added: 1 row left out"));
        QCOMPARE(lanes().lane(view().state().focusedLane).key, group.key);
        QVERIFY(hoverTexts().contains("from query: Query 1"));
        QVERIFY(m_window->isWindowModified());
        // The answer in the panel stays valid, and the slices of the lane are not counted.
        QCOMPARE(sql().table()->rowCount(), rows);
        QVERIFY(!sql().isBusy());
        ask("SELECT count(*) AS n FROM slice");
        QCOMPARE(QString::fromStdString(sql().table()->cell(0, 0)), QString("4"));
        undo().undo();
        settle();
        QCOMPARE(lanes().size(), before);
        QVERIFY(!m_window->isWindowModified());
        undo().redo();
        QTRY_VERIFY(m_window->isSettled() && lanes().find(queryLaneKey(1)) != kNoLane);
        QCOMPARE(lanes().size(), before + 3);
    }

    void laneIsRemovedInItsMenu()
    {
        ask(kQuery);
        showAsLane();
        showAsLane(); // another one
        QCOMPARE(queries().size(), size_t(2));
        view().lanes().showLane(QString::fromStdString(queryLaneKey(1)));
        QCOMPARE(menuTexts().count("Remove lane"), 1);
        openMenu()->actions().last()->trigger();
        settle();
        QCOMPARE(queries().size(), size_t(1));
        QVERIFY(lanes().find(queryLaneKey(1)) == kNoLane && lanes().find(queryLaneKey(2)) != kNoLane);
        view().lanes().showLane(QString::fromStdString(lanes().lanes().back().key));
        QVERIFY(!menuTexts().contains("Remove lane")); // a lane of a report
    }

    void fileStoresTheQuery()
    {
        ask(kQuery);
        showAsLane();
        const LaneQueries stored = queries();
        const auto file = m_folder->path() / "kept.lockstep";
        part<SaveController>().saveTo(file);
        settle();
        makeWindow({.isMotionReduced = true});
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 2);
        QVERIFY(queries() == stored);
        const uint32_t group = lanes().find(queryLaneKey(1));
        QVERIFY(group != kNoLane);
        QCOMPARE(lanes().lane(group).value, std::string("1 row left out"));
        QCOMPARE(lanes().lane(group + 1).data.as<QueryLaneData>()->track->rows.size(), size_t(1));
        QVERIFY(!m_window->isWindowModified());
        controller().remove(1);
        part<SaveController>().saveTo(file);
        settle();
        makeWindow({.isMotionReduced = true});
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 2);
        QVERIFY(queries().empty());
    }

    // The times of rows are valid only for one alignment and for the visible reports.
    void queryIsRunAgain()
    {
        ask(kQuery);
        showAsLane();
        const auto starts = [&] {
            std::vector<int64_t> all;
            for (const Lane& lane : lanes().lanes()) {
                const auto* const data = lane.data.as<QueryLaneData>();
                if (data != nullptr) all.push_back(data->track->rows.front().front().range.begin.ns);
            }
            return all;
        };
        const std::vector<int64_t> before = starts();
        auto& reports = part<WorkspaceController>();
        part<WorkDocument>().edit("align", [&](Work& work) {
            work.alignment.options.mode = AlignMode::zero;
            work.alignment.options.shifts_ns = {{reports.reports().entries()[1].key, 12'345}};
        });
        settle();
        QCOMPARE(starts().size(), size_t(2));
        QVERIFY(starts() != before);
        reports.setShown({reports.reports().entries()[1].key}, false);
        settle();
        QCOMPARE(starts().size(), size_t(1));
        QSignalSpy scenes(&reports, &WorkspaceController::sceneChanged);
        reports.setLaneArrangement(LaneGrouping::host, {}); // does not change the data
        settle();
        QCOMPARE(scenes.size(), 1);
        QCOMPARE(starts().size(), size_t(1));
        reports.close(reports.reports().openKeys());
        settle();
        QVERIFY(queries().empty() && lanes().size() == 0);
    }

    void failingQueriesStayVisible()
    {
        controller().add("No such table", "SELECT 1 AS ts FROM nonsense", nullptr);
        QTRY_VERIFY(m_window->isSettled() && lanes().find(queryLaneKey(1)) != kNoLane);
        const Lane& group = lanes().lane(lanes().find(queryLaneKey(1)));
        QCOMPARE(group.value, std::string("query failed"));
        QVERIFY(QString::fromStdString(group.note).contains("no such table"));
        for (size_t i = 0; i < kMaxLaneQueries; ++i)
            controller().add("more", "SELECT 1 AS ts", nullptr);
        QCOMPARE(queries().size(), kMaxLaneQueries);
        settle();
    }

  private:
    const LaneTree& lanes() { return view().state().tree(); }
    SqlPanel& sql() { return part<SqlPanel>(); }
    QUndoStack& undo() { return part<QUndoStack>("workspace"); }
    const LaneQueries& queries() { return part<WorkDocument>().work().laneQueries; }
    QueryLanesController& controller() { return page<TimelinePageController>().queryLanes(); }
    void ask(const QString& query)
    {
        QSignalSpy answers(&sql(), &SqlPanel::answered);
        sql().runQuery(query);
        QTRY_COMPARE(answers.size(), 1);
        QVERIFY2(sql().table() != nullptr, qPrintable(sql().hint()));
    }
    void showAsLane()
    {
        for (auto* const button : sql().findChildren<QPushButton*>()) {
            if (button->text() == "Show as lane") button->click();
        }
        settle();
        QCoreApplication::processEvents(); // the lane is revealed after the scene
    }
    // Returns the lines of all hover cards over the first lane of a query.
    QString hoverTexts()
    {
        QStringList all;
        view().navigation().fitAll();
        const DisplayList& list = view().displayList();
        for (const DisplayLane& lane : list.lanes) {
            if (!lanes().lane(lane.lane).data.is<QueryLaneData>()) continue;
            for (int x = list.headerWidth; x < list.size.width; ++x) {
                const Hit hit = hitTest(list, x, lane.y + lane.height / 2, 0);
                if (hit.part != Hit::Part::box) continue;
                for (const std::string& line : hit.kind->hover(view().scene(), list, hit))
                    all << QString::fromStdString(line);
            }
        }
        return all.join('\n');
    }
    // Opens the menu of the current lane.
    QMenu* openMenu()
    {
        view().setFocus();
        QTest::keyClick(&view(), Qt::Key_Menu);
        for (QMenu* const menu : view().findChildren<QMenu*>(Qt::FindDirectChildrenOnly)) {
            if (menu->isVisible()) return menu;
        }
        qFatal("no menu");
    }
    QStringList menuTexts()
    {
        QMenu* const menu = openMenu();
        QStringList texts;
        for (const QAction* const action : menu->actions())
            texts << action->text();
        menu->close();
        return texts;
    }
};

LOCKSTEP_TEST(QueryLanesWindowTest, "query_lanes_window_test")
#include "query_lanes_window_test.moc"
