// SPDX-License-Identifier: Apache-2.0
// Tests that arranged lanes are restored: named lane layouts, row heights and expanded gaps, in the same
// window, from the workspace file and from the settings; by keys, menus and the command search.
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>

#include "app/window/command_actions.h"
#include "app/window/command_palette.h"
#include "app/window/lane_sets_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/models/report_tree_model.h"
#include "ui/panels/reports_panel.h"
#include "ui/timeline/prompt_line.h"
#include "ui/window/notices.h"

using namespace lockstep;

class ArrangedLanesWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        openTraces(3);
    }

    void layoutIsSavedByKeyAndRecalled()
    {
        hideFirst();
        const LaneState arranged = view().lanes().laneState();
        storeAs("no first");
        QCOMPARE(layouts().size(), size_t(1));
        view().lanes().editLanes([](LaneState& lanes) { lanes.hidden.clear(); });
        menuAction("no first")->trigger();
        QCOMPARE(view().lanes().laneState().hidden, arranged.hidden);
        // Lane layouts do not include collapsed lanes and row heights.
        press(Qt::Key_V);
        sets().recall("no first");
        QCOMPARE(view().lanes().laneState().rowHeight, 28);
        undo(); // the height, the last change; a recall that changed nothing is not an undo step
        QCOMPARE(view().lanes().laneState().rowHeight, 20);
        QCOMPARE(view().lanes().laneState().hidden, arranged.hidden);
    }

    // Also when lanes are grouped differently, and lanes arrive later.
    void closedLanesAreReported_data()
    {
        QTest::addColumn<int>("grouping");
        QTest::newRow("same grouping") << int(LaneGrouping::automatic);
        QTest::newRow("other grouping") << int(LaneGrouping::host);
    }
    void closedLanesAreReported()
    {
        QFETCH(int, grouping);
        LaneSet old{"old", {}};
        old.lanes.grouping = static_cast<LaneGrouping>(grouping);
        old.lanes.hidden.insert("gone");
        part<WorkDocument>().edit("save", [&](Work& work) { work.laneSets = {old}; });
        QSignalSpy told(&part<Notices>(), &Notices::posted);
        sets().recall("old");
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told[0][0].toString(), QString("Lane layout \"old\"; 1 lane not open"));
    }

    void storingAndRemovingAreUndone()
    {
        hideFirst();
        storeAs("one");
        storeAs("two");
        storeAs("one"); // replaces the layout
        QCOMPARE(layouts().size(), size_t(2));
        sets().remove("one");
        QCOMPARE(layouts().size(), size_t(1));
        undo();
        QCOMPARE(layouts().front().name, std::string("one"));
        QVERIFY(m_window->isWindowModified());
        PromptLine& line = promptLine();
        press(Qt::Key_V, Qt::ShiftModifier);
        QVERIFY(line.isOpen());
        QTest::keyClick(line.field(), Qt::Key_Escape); // nothing is stored
        QCOMPARE(layouts().size(), size_t(2));
        QVERIFY(view().hasFocus());
    }

    void commandSearchListsLayouts()
    {
        storeAs("my lanes");
        hideFirst();
        auto& palette = part<CommandPalette>();
        const auto entries = palette.entries();
        const auto found =
            std::ranges::find(entries, QString("Lane layouts: my lanes"), &CommandPalette::Entry::text);
        QVERIFY(found != entries.end());
        palette.run(found->text);
        QVERIFY(view().lanes().laneState().hidden.empty());
        const auto row = std::ranges::find_if(
            entries, [](const CommandPalette::Entry& entry) { return entry.text == "Cycle the row height"; });
        QVERIFY(row != entries.end());
        QCOMPARE(row->keys, QString("V"));
    }

    void fileKeepsLayouts()
    {
        hideFirst();
        press(Qt::Key_V);
        storeAs("kept");
        const LaneSets stored = layouts();
        const auto file = m_folder->path() / "kept.lockstep";
        part<SaveController>().saveTo(file);
        settle();
        m_settings->remember("timeline/row_height", 14);
        makeWindow({.isMotionReduced = true});
        QCOMPARE(view().lanes().laneState().rowHeight, 14); // a new window has that of the settings
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 3);
        QVERIFY(layouts() == stored);
        QCOMPARE(view().lanes().laneState().rowHeight, 28); // a new window uses the height in the settings
        QVERIFY(!m_window->isWindowModified());
        // When no layout is left, the file has none either.
        sets().remove("kept");
        part<SaveController>().saveTo(file);
        settle();
        makeWindow({.isMotionReduced = true});
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 3);
        QVERIFY(layouts().empty());
    }

    // "Show only this lane" leaves the reports checked; the tree of reports shows that their lanes are
    // hidden.
    void reportsTreeShowsIsolation()
    {
        const QAbstractItemModel& model = *part<ReportsPanel>().tree()->model();
        const auto hidden = [&] { return hiddenRows(model); };
        QCOMPARE(hidden(), QStringList());
        press(Qt::Key_Down);
        press(Qt::Key_I);
        QCOMPARE(hidden().size(), 2);
        QCOMPARE(part<QPushButton>("hiddenLanes").text(), QString("2 lanes hidden"));
        press(Qt::Key_I);
        QCOMPARE(hidden(), QStringList());
        press(Qt::Key_I);
        undo();
        QCOMPARE(hidden(), QStringList());
        view().lanes().editLanes([&](LaneState& lanes) {
            for (const Lane& lane : view().state().tree().lanes())
                lanes.hide(lane, true);
        });
        QCOMPARE(hidden().size(), 4); // also the row of the run
        view().lanes().editLanes([](LaneState& lanes) { lanes.hidden.clear(); });
        QCOMPARE(hidden(), QStringList());
    }

  private:
    // Returns the names of the rows that are marked as hidden, and compares all signs of the mark.
    static QStringList hiddenRows(const QAbstractItemModel& model, const QModelIndex& parent = {})
    {
        QStringList rows;
        for (int i = 0; i < model.rowCount(parent); ++i) {
            const QModelIndex name = model.index(i, 0, parent);
            const bool isHidden = name.data(ReportTreeModel::areLanesHiddenRole).toBool();
            if (isHidden != (name.siblingAtColumn(1).data().toString() == "hidden") ||
                isHidden != name.data(Qt::ToolTipRole).toString().contains("All lanes are hidden") ||
                name.data(Qt::CheckStateRole).toInt() != int(Qt::Checked))
                qFatal("row %s is inconsistent", qPrintable(name.data().toString()));
            if (isHidden) rows << name.data().toString();
            rows += hiddenRows(model, name);
        }
        return rows;
    }

    const LaneSets& layouts() { return part<WorkDocument>().work().laneSets; }
    LaneSetsController& sets() { return page<TimelinePageController>().laneSets(); }
    void hideFirst()
    {
        view().lanes().editLanes([&](LaneState& lanes) { lanes.hide(view().state().tree().lane(0), true); });
    }
    PromptLine& promptLine()
    {
        for (PromptLine* const line : m_window->findChildren<PromptLine*>()) {
            if (line->field()->accessibleName().contains("lane layout")) return *line;
        }
        qFatal("no line for the name of a lane layout");
    }
    void storeAs(const QString& name)
    {
        press(Qt::Key_V, Qt::ShiftModifier);
        QTest::keyClicks(promptLine().field(), name);
        QTest::keyClick(promptLine().field(), Qt::Key_Return);
    }
    QAction* menuAction(const QString& text)
    {
        for (QMenu* const menu : m_window->findChildren<QMenu*>()) {
            if (menu->title() != "Lane layouts") continue;
            emit menu->aboutToShow();
            for (QAction* const action : menu->actions()) {
                if (action->text() == text) return action;
            }
        }
        qFatal("no such set in the menu");
    }
};

LOCKSTEP_TEST(ArrangedLanesWindowTest, "arranged_lanes_window_test")
#include "arranged_lanes_window_test.moc"
