// SPDX-License-Identifier: Apache-2.0
// Tests a whole run in a window: 64 ranks with three steps each, and eight real ones. Heights, layouts,
// order, ruler units and the last rank to arrive at a collective; then everything that follows a selection
// (names, areas, events, search, markers, a measurement). Input is by keys and mouse; each result is compared
// with the test's own count.
#include <set>

#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>

#include "core/analysis/area_aggregate.h"
#include "core/search/same_name.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/last_arrival.h"
#include "tests/gui/support/compared_run.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/events/events_panel.h"
#include "ui/models/mark_store.h"
#include "ui/panels/top_strip.h"
#include "ui/selection/selection_panel.h"
#include "ui/timeline/prompt_line.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class ManyRanksWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void keysArrangeLanesAndUndo_data() { addRuns(); }
    void keysArrangeLanesAndUndo()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        view().lanes().editLanes(
            [&](LaneState& lanes) { lanes.grouping = LaneGrouping::none; }); // no map of ranks
        settle();
        const int height = tallestRow();
        const LaneState before = view().lanes().laneState();
        press(Qt::Key_V);
        QCOMPARE(view().lanes().laneState().rowHeight, 28);
        QCOMPARE(m_settings->rowHeight(), 28);
        QVERIFY(tallestRow() > height);
        view().lanes().editLanes([&](LaneState& lanes) { lanes.hide(view().state().tree().lane(0), true); });
        press(Qt::Key_V, Qt::ShiftModifier);
        PromptLine& line = setLine();
        QTest::keyClicks(line.field(), "without the first");
        QTest::keyClick(line.field(), Qt::Key_Return);
        const LaneState arranged = view().lanes().laneState();
        for (const LaneGrouping grouping : {LaneGrouping::host, LaneGrouping::step, LaneGrouping::gpu}) {
            view().lanes().editLanes([&](LaneState& lanes) { lanes.grouping = grouping; });
            settle();
            QVERIFY(!view().displayList().lanes.empty());
            undo();
            settle();
        }
        QCOMPARE(view().lanes().laneState().hidden, arranged.hidden);
        undo(); // the lane layout
        undo(); // the hidden lanes
        undo(); // the height
        QCOMPARE(view().lanes().laneState().hidden, before.hidden);
        QCOMPARE(view().lanes().laneState().rowHeight, before.rowHeight);
        QCOMPARE(m_settings->rowHeight(), before.rowHeight);
        QCOMPARE(tallestRow(), height);
    }

    void rulerCyclesThroughItsUnits_data() { addRuns(); }
    void rulerCyclesThroughItsUnits()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        const TimeRange seen = view().viewState().visible();
        const auto& ruler = test::part<RulerBar>(view());
        std::set<RulerTime::From> counted;
        for (int n = 0; n < 3; ++n) {
            counted.insert(ruler.time().from);
            press(Qt::Key_U);
        }
        QCOMPARE(counted.size(), size_t(3));
        QCOMPARE(ruler.time().from, RulerTime::From::zero);
        QVERIFY(view().viewState().visible() == seen);
    }

    // No file here records which operations correspond across ranks: this is reported, and nothing is
    // guessed.
    void lastRankToArriveOrTheReasonIsShown_data() { addRuns(); }
    void lastRankToArriveOrTheReasonIsShown()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        size_t asked = 0;
        for (const ReportKey key : scene().shown.keys()) {
            const auto& categories = scene().shown.report(key).slices.category;
            const auto found = std::ranges::find(categories, SliceCategory::communication);
            if (found == categories.end() || ++asked > 8) continue;
            const SliceRef part{key, SliceId(static_cast<uint32_t>(found - categories.begin()))};
            const LastArrival last = lastArrivalOf(scene(), part);
            view().selector().select(part, true);
            QSignalSpy told(&view().notices(), &Notices::posted);
            press(Qt::Key_J);
            QCOMPARE(told.count(), 1);
            QVERIFY2(told[0][0].toString().contains(QString::fromStdString(last.text)),
                     qPrintable(told[0][0].toString()));
            QVERIFY(view().viewState().slice() == (last.slice.isValid() ? last.slice : part));
        }
        QVERIFY(asked >= 8);
    }

    void nameIsSelectedListedAndHidden_data() { addRuns(); }
    void nameIsSelectedListedAndHidden()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        const SliceRef kernel = firstKernel();
        view().selector().select(kernel, true);
        const NameCounts counts = countSameName(scene(), kernel);
        QVERIFY(counts.everywhere > counts.rank && counts.rank >= counts.lane);
        const auto selects = [&](Qt::KeyboardModifiers modifiers) {
            view().selector().select(kernel, true);
            press(Qt::Key_N, modifiers);
            settle();
            return view().viewState().slices() == nullptr ? 0 : view().viewState().slices()->size();
        };
        QCOMPARE(selects({}), counts.lane);
        QCOMPARE(selects(Qt::ShiftModifier), counts.rank);
        QCOMPARE(selects(Qt::ControlModifier | Qt::ShiftModifier), counts.everywhere);
        view().selector().select(kernel, true);
        QSignalSpy told(&view().notices(), &Notices::posted);
        press(Qt::Key_O);
        settle();
        QVERIFY2(told.value(0).value(0).toString().startsWith("Same slice elsewhere: "),
                 qPrintable(told.value(0).value(0).toString()));
        view().selector().select(kernel, true);
        press(Qt::Key_E);
        settle();
        EventModel& rows = part<EventsPanel>().table()->model();
        QCOMPARE(static_cast<uint64_t>(rows.rowCount()), counts.everywhere);
        press(Qt::Key_H);
        settle();
        QVERIFY(part<QPushButton>("hiddenNames").isVisible());
        QCOMPARE(static_cast<uint64_t>(rows.rowCount()), counts.everywhere); // tables go on to count it
        press(Qt::Key_H, Qt::ShiftModifier);
        QVERIFY(!part<QPushButton>("hiddenNames").isVisible());
    }

    // Drags over lanes and counts the contents of the area independently.
    void areaIsSummedUp_data() { addRuns(); }
    void areaIsSummedUp()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        run("Selection");
        auto* const canvas = view().findChild<TimelineCanvas*>();
        const QPoint from(canvas->width() / 2, 40), to(canvas->width() - 60, canvas->height() - 30);
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(canvas, (from + to) / 2);
        QTest::mouseMove(canvas, to);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, to);
        settle();
        QCOMPARE(view().viewState().areas().size(), size_t(1));
        const Area area = view().viewState().areas()[0];
        uint64_t count = 0, cut = 0;
        for (const uint32_t lane : lanesIn(view().state().tree(), area)) {
            for (const RowSource& source : view().state().tree().lane(lane).sources) {
                if (source.kind == RowSource::Kind::track) countWithin(source, area.range, count, cut);
            }
        }
        const AreaAggregate* const made = part<SelectionPanel>().aggregate();
        QVERIFY(made != nullptr && count > 10);
        QCOMPARE(made->total.count, count);
        QCOMPARE(made->total.cut, cut);
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(view().viewState().areas().empty());
    }

    void searchMatchesTheCount_data() { addRuns(); }
    void searchMatchesTheCount()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        uint64_t expected = 0;
        for (const ReportKey key : scene().shown.keys()) {
            const Report& report = scene().shown.report(key);
            for (uint32_t row = 0; row < report.slices.size(); ++row)
                expected += QString::fromStdString(std::string(report.nameOf(SliceId(row))))
                                .contains("nccl", Qt::CaseInsensitive);
        }
        QLineEdit* const field = part<TopStrip>().searchField();
        field->setFocus();
        QTest::keyClicks(field, "nccl");
        settle();
        QVERIFY(expected > 0 && view().displayList().hits != nullptr);
        QCOMPARE(view().displayList().hits->count(), expected);
        QTest::keyClick(field, Qt::Key_Return);
        settle();
        QVERIFY(view().viewState().slice().isValid() &&
                view().displayList().hits->has(view().viewState().slice()));
    }

    void timesAreMarkedAndMeasured_data() { addRuns(); }
    void timesAreMarkedAndMeasured()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        view().selector().select(firstKernel(), true);
        press(Qt::Key_M);
        QCOMPARE(part<MarkStore>().marks().size(), size_t(1));
        const TimeRange before = view().viewState().visible();
        press(Qt::Key_W);
        press(Qt::Key_1, Qt::ControlModifier);
        const TimeRange stored = view().viewState().visible();
        QVERIFY(stored != before);
        press(Qt::Key_0);
        press(Qt::Key_1);
        QVERIFY(view().viewState().visible() == stored);
        view().setFocus();
        undo(); // the saved view
        QVERIFY(!part<WorkDocument>().work().views[0]);
        undo(); // the marker
        QCOMPARE(part<MarkStore>().marks().size(), size_t(0));
        press(Qt::Key_T);
        auto* const canvas = view().findChild<TimelineCanvas*>();
        for (const QPoint at : {QPoint(canvas->width() / 2, 60), QPoint(canvas->width() - 80, 120)}) {
            QTest::mouseMove(canvas, at);
            QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
        }
        QVERIFY(view().state().tape.range().has_value());
    }

  private:
    SliceRef firstKernel()
    {
        const ReportKey key = scene().shown.keys().front();
        const auto& kinds = scene().shown.report(key).slices.kind;
        const auto found = std::ranges::find(kinds, RowKind::kernel);
        return {key, SliceId(static_cast<uint32_t>(found - kinds.begin()))};
    }
    void countWithin(const RowSource& source, TimeRange aligned, uint64_t& count, uint64_t& cut)
    {
        const Report& report = scene().shown.report(source.report);
        const TimeRange window = scene().alignment.map(source.report).traceFromAligned(aligned);
        const Track& track = report.track(source.track);
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const TimeRange slice = report.slices.range(SliceId(track.firstSlice.value + i));
            const bool isIn = slice.isEmpty() ? window.contains(slice.begin)
                                              : slice.begin < window.end && slice.end > window.begin;
            count += isIn;
            cut += isIn && (slice.begin < window.begin || slice.end > window.end);
        }
    }
    void addRuns()
    {
        QTest::addColumn<bool>("isReal");
        QTest::newRow("64 ranks, 3 steps") << false;
        QTest::newRow("8 real ranks") << true;
    }
    void openRun()
    {
        QFETCH(bool, isReal);
        if (m_paths.empty()) m_paths = test::writeComparedRun(m_run, "run", {});
        makeWindow({.isMotionReduced = true});
        if (isReal) {
            m_window->open({test::sharedData("kineto/dlrm_8ranks")});
        } else {
            m_window->open(m_paths);
        }
        const size_t ranks = isReal ? 8 : 64;
        QTRY_VERIFY(scene().shown.size() == ranks && m_window->isSettled());
    }

    int tallestRow()
    {
        int most = 0;
        for (const DisplayRow& row : view().displayList().rows)
            most = std::max(most, row.height);
        return most;
    }
    PromptLine& setLine()
    {
        for (PromptLine* const line : m_window->findChildren<PromptLine*>()) {
            if (line->isOpen()) return *line;
        }
        qFatal("no line asks for a name");
    }

    test::TempDir m_run;
    std::vector<std::filesystem::path> m_paths;
};

LOCKSTEP_TEST(ManyRanksWindowTest, "many_ranks_window_test")
#include "many_ranks_window_test.moc"
