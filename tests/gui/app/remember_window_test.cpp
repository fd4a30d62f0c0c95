// SPDX-License-Identifier: Apache-2.0
// Tests everything a person saves to find again, by keys and mouse only: markers, notes, views, Go to, links,
// measurements, undo. All of it is restored from the workspace file.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QSignalSpy>

#include "app/window/go_to_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/views_controller.h"
#include "app/window/work_sections.h"
#include "tests/support/model_testers.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/models/mark_store.h"
#include "ui/panels/marks_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/table_view.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/note_editor.h"
#include "ui/timeline/prompt_line.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class RememberWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        QVERIFY(test::testModels(*m_window) > 0);
        openTraces(2);
    }

    void oneKeyAddsAndRemovesAMarker()
    {
        const SliceRef slice = firstSlice();
        view().selector().select(slice, true);
        press(Qt::Key_M);
        QCOMPARE(store().marks().size(), size_t(1));
        QVERIFY(store().marks().all()[0].kind == MarkKind::slice);
        QVERIFY(store().placed(1).slice == slice);
        QVERIFY(bar().isVisible());
        QCOMPARE(bar().markLayout().shapes.size(), size_t(1));
        press(Qt::Key_M);
        QVERIFY(store().marks().isEmpty());
        QVERIFY(!bar().isVisible());
    }

    void markerOfARangeAndWithoutASelection()
    {
        view().viewState().setRange(TimeRange{{12'000}, {20'000}});
        press(Qt::Key_M);
        QVERIFY(store().marks().all()[0].kind == MarkKind::range);
        QVERIFY(store().placed(1).aligned == (TimeRange{{12'000}, {20'000}}));
        view().viewState().setRange(std::nullopt);
        press(Qt::Key_M); // the middle
        QCOMPARE(store().marks().size(), size_t(2));
        QVERIFY(store().marks().all()[1].kind == MarkKind::time);
        const TimeRange seen = view().viewState().visible();
        QCOMPARE(store().placed(2).aligned->begin.ns, seen.begin.ns + seen.length().ns / 2);
    }

    void noteIsWrittenInPlace()
    {
        view().selector().select(firstSlice(), true);
        press(Qt::Key_M, Qt::ShiftModifier);
        NoteEditor& editor = part<NoteEditor>();
        QVERIFY(editor.isOpen());
        QTest::keyClicks(&editor, "long tail");
        QTest::keyClick(&editor, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClicks(&editor, "see r1");
        QTest::keyClick(&editor, Qt::Key_Return);
        QVERIFY(!editor.isOpen());
        QCOMPARE(store().marks().size(), size_t(1));
        QCOMPARE(store().marks().all()[0].text, std::string("long tail\nsee r1"));
        const int x = bar().markLayout().shapes[0].areaBegin;
        QVERIFY2(bar().textAt(headerEnd() + x + 1).contains("see r1"),
                 qPrintable(bar().textAt(headerEnd() + x)));
        // At the same place again: the note is edited; Escape keeps the old text.
        press(Qt::Key_M, Qt::ShiftModifier);
        QCOMPARE(editor.toPlainText(), QString("long tail\nsee r1"));
        QTest::keyClicks(&editor, "nothing");
        QTest::keyClick(&editor, Qt::Key_Escape);
        QCOMPARE(store().marks().size(), size_t(1));
        QCOMPARE(store().marks().all()[0].text, std::string("long tail\nsee r1"));
        press(Qt::Key_M); // the marker key does not discard typed text
        QCOMPARE(store().marks().size(), size_t(1));
    }

    void clickOnAMarkerSelectsItsTarget()
    {
        const SliceRef slice = firstSlice();
        view().selector().select(slice, true);
        press(Qt::Key_M);
        view().selector().select({}, false);
        const int x = bar().markLayout().shapes[0].areaBegin;
        QTest::mouseClick(&bar(), Qt::LeftButton, {}, {headerEnd() + x + 2, bar().height() / 2});
        QVERIFY(view().viewState().slice() == slice);
    }

    void everyChangeHasANamedUndo()
    {
        view().selector().select(firstSlice(), true);
        press(Qt::Key_M);
        QAction& undo = part<QAction>("Undo");
        QCOMPARE(undo.text(), QString("Undo add marker 1"));
        undo.trigger();
        QVERIFY(store().marks().isEmpty());
        QCOMPARE(part<QAction>("Redo").text(), QString("Redo add marker 1"));
        run("Redo");
        QCOMPARE(store().marks().size(), size_t(1));
        store().remove({1});
        QCOMPARE(undo.text(), QString("Undo remove marker 1"));
        undo.trigger();
        QCOMPARE(store().marks().size(), size_t(1));
        QVERIFY2(m_window->windowTitle().startsWith("t, unsaved"), qPrintable(m_window->windowTitle()));
    }

    void laneChangesAreUndoneAndTogglesMerge()
    {
        const LaneState before = view().lanes().laneState();
        focusFirstLane();
        QTest::keyClick(&view(), Qt::Key_P);
        const LaneState pinned = view().lanes().laneState();
        QVERIFY(pinned != before);
        QAction& undo = part<QAction>("Undo");
        QVERIFY2(undo.text().startsWith("Undo pin"), qPrintable(undo.text()));
        undo.trigger();
        QCOMPARE(view().lanes().laneState(), before);
        run("Redo");
        QCOMPARE(view().lanes().laneState(), pinned);
        QTest::keyClick(&view(), Qt::Key_P); // unpinned again: nothing left to undo
        QVERIFY(!undo.isEnabled());
        QVERIFY(!m_window->isWindowModified()); // lane changes alone are not unsaved work
    }

    void panelNavigatesEditsAndRemoves()
    {
        for (const int64_t begin : {5'000, 12'000, 20'000}) {
            view().viewState().setRange(TimeRange{{begin}, {begin + 100}});
            press(Qt::Key_M);
        }
        run("Markers");
        MarksPanel& panel = part<MarksPanel>();
        QTRY_COMPARE(panel.view()->shownRows(), 3);
        view().viewState().setRange(std::nullopt);
        panel.view()->setFocus();
        panel.view()->selectTableRow(0);
        QTest::keyClick(panel.view(), Qt::Key_Down);
        QTRY_VERIFY(view().viewState().range().has_value());
        QVERIFY(view().viewState().range() ==
                store().placed(panel.model().numberAt(panel.view()->currentTableRow())).aligned);
        QVERIFY(panel.markdown().contains("| --- |"));
        const int64_t current = panel.model().numberAt(panel.view()->currentTableRow());
        QVERIFY(
            panel.model().setData(panel.model().index(panel.model().rowOf(current), MarkModel::textColumn),
                                  "why | so", Qt::EditRole));
        QCOMPARE(store().marks().find(current)->text, std::string("why | so"));
        QVERIFY(panel.markdown().contains("why \\| so"));
        QTest::keyClick(panel.view(), Qt::Key_Delete);
        QCOMPARE(store().marks().size(), size_t(2));
        QVERIFY(store().marks().find(current) == nullptr);
    }

    void goToPreviewsTheParsedTime()
    {
        view().navigation().zoomTo({{10'000}, {14'000}});
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        QVERIFY(line.isOpen());
        QTest::keyClicks(line.field(), "blue");
        QTRY_VERIFY2(line.hint().contains("is not a valid time"), qPrintable(line.hint()));
        QTest::keyClick(line.field(), Qt::Key_Return);
        settle();
        QVERIFY(line.isOpen()); // an error stays open where it can be corrected
        line.field()->clear();
        QTest::keyClicks(line.field(), "50 us");
        QTRY_VERIFY2(line.hint().startsWith(QString::fromUtf8("50 \u00B5s")), qPrintable(line.hint()));
        QTest::keyClick(line.field(), Qt::Key_Return);
        QTRY_VERIFY(!line.isOpen());
        QVERIFY(view().viewState().visible().contains({50'000}));
        QVERIFY(view().state().flash == TraceTime{50'000});
        QTRY_VERIFY(!view().state().flash);
        press(Qt::Key_Backspace);
        QTRY_COMPARE(view().viewState().visible(), (TimeRange{{10'000}, {14'000}}));
    }

    void goToShowsAPlaceThatIsInViewAlready()
    {
        view().navigation().fitAll();
        const TimeRange whole = view().viewState().visible();
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        QTest::keyClicks(line.field(), "12 us");
        QTest::keyClick(line.field(), Qt::Key_Return);
        QTRY_VERIFY(view().state().flash == TraceTime{12'000});
        QCOMPARE(view().viewState().visible(), whole);
    }

    void goToZoomsWithShift()
    {
        view().navigation().fitAll();
        const Duration whole = view().viewState().visible().length();
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        QTest::keyClicks(line.field(), "12 us");
        QTest::keyClick(line.field(), Qt::Key_Return, Qt::ShiftModifier);
        QTRY_VERIFY(view().state().flash == TraceTime{12'000});
        QVERIFY(view().viewState().visible().length().ns < whole.ns / 15);
        QVERIFY(view().viewState().visible().contains({12'000}));
    }

    // They do not stay open over the lanes; the note is not lost.
    void goToAndNotesCloseWhenTheFocusMoves()
    {
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        QVERIFY(line.isOpen());
        view().setFocus(Qt::MouseFocusReason);
        QVERIFY(!line.isOpen() && view().hasFocus());
        view().selector().select(firstSlice(), true);
        press(Qt::Key_M, Qt::ShiftModifier);
        NoteEditor& editor = part<NoteEditor>();
        QTest::keyClicks(&editor, "half a thought");
        view().setFocus(Qt::MouseFocusReason);
        QVERIFY(!editor.isOpen() && view().hasFocus());
        QCOMPARE(store().marks().size(), size_t(1));
        QCOMPARE(store().marks().all()[0].text, std::string("half a thought"));
    }

    void goToAcceptsEveryNotation_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("at_ns");
        for (const auto& [text, at_ns] : {std::pair<const char*, qint64>{"12000", 12'000},
                                          {"12 us", 12'000},
                                          {"0.012ms", 12'000},
                                          {"0.000 012 s", 12'000},
                                          {"+2us", 12'000},
                                          {"-1 us", 9'000},
                                          {"mark 1", 30'000}})
            QTest::newRow(text) << QString(text) << at_ns;
    }

    void goToAcceptsEveryNotation()
    {
        QFETCH(QString, text);
        QFETCH(qint64, at_ns);
        view().viewState().setRange(TimeRange{{30'000}, {34'000}});
        press(Qt::Key_M);
        view().viewState().setRange(std::nullopt);
        view().navigation().zoomTo({{10'000}, {14'000}});
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        QTest::keyClicks(line.field(), text);
        QTest::keyClick(line.field(), Qt::Key_Return);
        QTRY_VERIFY2(!line.isOpen(), qPrintable(line.hint()));
        settle();
        const TimeRange seen = view().viewState().visible();
        QVERIFY2(seen.begin.ns <= at_ns && at_ns <= seen.end.ns,
                 qPrintable(QString("%1..%2").arg(seen.begin.ns).arg(seen.end.ns)));
        QVERIFY(seen.length().ns < 100'000);
    }

    void linkRestoresTheView()
    {
        const SliceRef slice = firstSlice();
        view().selector().select(slice, true);
        view().navigation().zoomTo({{10'000}, {14'000}});
        run("Copy link to this view");
        const QString link = QGuiApplication::clipboard()->text();
        QVERIFY(link.startsWith("lockstep:"));
        view().selector().select({}, false);
        view().navigation().fitAll();
        press(Qt::Key_G);
        PromptLine& line = part<PromptLine>("goTo");
        line.field()->setText(link);
        QTest::keyClick(line.field(), Qt::Key_Return);
        QTRY_COMPARE(view().viewState().visible(), (TimeRange{{10'000}, {14'000}}));
        QVERIFY(view().viewState().slice() == slice);
        view().navigation().fitAll();
        view().setFocus();
        press(Qt::Key_V, Qt::ControlModifier); // pasted into the timeline
        QTRY_COMPARE(view().viewState().visible(), (TimeRange{{10'000}, {14'000}}));
        QGuiApplication::clipboard()->setText("something else");
        QSignalSpy posted(&view().notices(), &Notices::posted);
        press(Qt::Key_V, Qt::ControlModifier);
        QTRY_COMPARE(posted.count(), 1);
    }

    void linkToAReportThatIsNotOpenNamesIt()
    {
        view().selector().select(firstSlice(), true);
        const QString link = page<TimelinePageController>().goTo().link();
        makeWindow({.isMotionReduced = true});
        m_window->open({m_folder->write("t/other.json", test::smallTrace(9))});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 1);
        const TimeRange before = view().viewState().visible();
        page<TimelinePageController>().goTo().goTo(link);
        QTRY_VERIFY(part<NoticeBar>().text().contains("is not open"));
        QCOMPARE(view().viewState().visible(), before);
    }

    void digitRestoresASavedView()
    {
        view().navigation().zoomTo({{10'000}, {14'000}});
        focusFirstLane();
        QTest::keyClick(&view(), Qt::Key_P);
        const LaneState lanes = view().lanes().laneState();
        page<TimelinePageController>().views().store(3);
        QTest::keyClick(&view(), Qt::Key_P);
        view().navigation().fitAll();
        press(Qt::Key_3);
        QTRY_COMPARE(view().viewState().visible(), (TimeRange{{10'000}, {14'000}}));
        QCOMPARE(view().lanes().laneState(), lanes);
        press(Qt::Key_4); // no view is saved there: nothing moves
        QCOMPARE(view().viewState().visible(), (TimeRange{{10'000}, {14'000}}));
        const Work& work = part<WorkDocument>().work();
        QVERIFY(readWork(sectionsOf(work), 2).work.views == work.views);
    }

    void measurementSnapsAndIsSaved()
    {
        view().navigation().fitAll();
        const SliceRef slice = firstSlice();
        press(Qt::Key_T);
        QVERIFY(view().state().tape.isOn);
        clickEdge(slice, false, 3);
        clickEdge(slice, true, -3);
        QVERIFY(view().state().tape.first && view().state().tape.second);
        QVERIFY(view().state().tape.first->slice.isValid() && view().state().tape.second->slice.isValid());
        QVERIFY(view().state().tape.range() == edgesOf(slice));
        press(Qt::Key_M);
        QVERIFY(!view().state().tape.isOn);
        QCOMPARE(store().marks().size(), size_t(1));
        QVERIFY(store().placed(1).aligned == edgesOf(slice));
        press(Qt::Key_T);
        press(Qt::Key_Escape);
        QVERIFY(!view().state().tape.isOn);
    }

    void everythingIsRestoredFromTheFile()
    {
        view().selector().select(firstSlice(), true);
        press(Qt::Key_M);
        page<TimelinePageController>().views().store(2);
        const MarkList marks = store().marks();
        const StoredViews views = part<WorkDocument>().work().views;
        const auto file = m_folder->path() / "kept.lockstep";
        part<SaveController>().saveTo(file);
        settle();
        makeWindow({.isMotionReduced = true});
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 2);
        QVERIFY(store().marks() == marks);
        QVERIFY(store().placed(1).placement == MarkPlacement::exact);
        QVERIFY(views[1] && part<WorkDocument>().work().views == views);
        QVERIFY(!m_window->isWindowModified());
        QVERIFY(bar().isVisible());
        run("Close all reports");
        QTRY_VERIFY(store().marks().isEmpty());
    }

  private:
    MarkStore& store() { return part<MarkStore>(); }
    MarksBar& bar() { return part<MarksBar>(); }
    SliceRef firstSlice() { return {scene().shown.keys()[0], SliceId(0u)}; }
    int headerEnd() { return view().displayList().headerWidth; }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&view(), key, modifiers);
    }

    // Down with no selection goes to the first lane.
    void focusFirstLane() { press(Qt::Key_Down); }

    TimeRange edgesOf(SliceRef slice)
    {
        return scene()
            .alignment.map(slice.report)
            .alignedFromTrace(scene().shown.report(slice.report).slices.range(slice.slice));
    }

    // A real click some pixels from an edge of a slice, in its row.
    void clickEdge(SliceRef slice, bool isEnd, int beside)
    {
        view().selector().select(slice, true);
        const DisplayList& list = view().displayList();
        const TimeRange edges = edgesOf(slice);
        const double share =
            static_cast<double>(((isEnd ? edges.end : edges.begin) - list.visible.begin).ns) /
            static_cast<double>(list.visible.length().ns);
        const int x = list.headerWidth + static_cast<int>(share * list.timeWidth()) + beside;
        const TrackId track = scene().shown.report(slice.report).trackOf(slice.slice);
        TimelineCanvas& canvas = part<TimelineCanvas>();
        for (const DisplayRow& row : list.rows) {
            if (!(row.track == TrackRef{slice.report, track})) continue;
            const QPoint at(x, row.y + row.height / 2);
            QTest::mouseMove(&canvas, at);
            QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
            return;
        }
        QFAIL("the slice has no row");
    }
};

LOCKSTEP_TEST(RememberWindowTest, "remember_window_test")
#include "remember_window_test.moc"
