// SPDX-License-Identifier: Apache-2.0
// Tests two steps side by side in a window, on a run of 64 ranks and three steps, with real keys and clicks:
// the dialog, linked panes, clicks on slices, the changes, and the way back.
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTreeView>
#include <QtTest>

#include "app/window/compare_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/timeline/hit_rows.h"
#include "tests/gui/support/compared_run.h"
#include "tests/support/model_testers.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/compare/changes_panel.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/delta_lane.h"
#include "ui/compare/length_view.h"
#include "ui/compare/pair_overlay.h"
#include "ui/compare/side_title.h"
#include "ui/models/report_tree_model.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/table_view.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class CompareWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { m_paths = test::writeComparedRun(m_run, "run", {}); }

    void init()
    {
        makeWindow({.isMotionReduced = true});
        QVERIFY(test::testModels(*m_window) > 0);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        open(m_paths);
        view().setFocus();
    }

    void keyOpensTheDialogAndKeyGoesBack()
    {
        const ScenePtr before = view().state().sharedScene();
        m_window->resize(m_window->width(), 500);
        view().scrollTo(100);
        QTest::keyClick(&view(), Qt::Key_C, Qt::ShiftModifier);
        QTRY_VERIFY(controller().dialog() != nullptr);
        CompareDialog& dialog = *controller().dialog();
        QCOMPARE(dialog.step(0)->count(), 4); // all, 1, 2, 3
        QCOMPARE(dialog.choice(1).step.value_or(-1), *dialog.choice(0).step + 1);
        // A step cannot be compared with itself.
        dialog.step(1)->setCurrentIndex(dialog.step(0)->currentIndex());
        QVERIFY(!test::part<QPushButton>(dialog, "compare").isEnabled() && dialog.hint().contains("same"));
        dialog.step(0)->setCurrentIndex(1);
        dialog.step(1)->setCurrentIndex(2);
        QTest::keyClick(&dialog, Qt::Key_Return);
        settle();
        activate();
        QVERIFY(compareView().isComparing());
        QVERIFY2(compareView().title(0).title().startsWith("step 1"),
                 qPrintable(compareView().title(0).title()));
        QVERIFY2(compareView().title(1).title().contains("9.3"), qPrintable(compareView().title(1).title()));
        QVERIFY(panel().isVisible());
        QVERIFY(view().state().scroll > 0);
        QCOMPARE(compareView().other().state().scroll, view().state().scroll);
        // Escape with nothing selected does not discard the comparison.
        QVERIFY(view().hasFocus());
        QTest::keyClick(&view(), Qt::Key_Escape);
        settle();
        QVERIFY(compareView().isComparing());
        QTest::keyClick(&view(), Qt::Key_Backspace, Qt::ShiftModifier);
        settle();
        QVERIFY(!compareView().isComparing() && !panel().isVisible());
        QCOMPARE(view().state().sharedScene(), before);
        QVERIFY(view().hasFocus());
        QTest::keyClick(&view(), Qt::Key_Y); // nothing to swap: reported, not ignored
        QVERIFY(!compareView().isComparing());
    }

    // With more reports than the dialog offers one by one, the reports chosen in the Reports panel are the
    // panes.
    void chosenReportsAreThePanes()
    {
        ReportsPanel& reports = part<ReportsPanel>();
        QTreeView& tree = *reports.tree();
        tree.expandAll();
        std::vector<QModelIndex> rows;
        for (QModelIndex row = tree.indexAt({5, 5}); row.isValid(); row = tree.indexBelow(row))
            if (!tree.model()->hasChildren(row)) rows.push_back(row.siblingAtColumn(0));
        QCOMPARE(rows.size(), m_paths.size());
        const auto ask = [&](const std::vector<size_t>& chosen, const QString& words) {
            tree.clearSelection();
            for (const size_t row : chosen)
                tree.selectionModel()->select(rows[row],
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
            tree.scrollTo(rows[chosen.front()]);
            emit tree.customContextMenuRequested(tree.visualRect(rows[chosen.front()]).center());
            auto* const menu =
                reports.findChildren<QMenu*>().constLast(); // the others are about to be deleted
            const auto actions = menu->actions();
            const auto action = std::ranges::find(actions, words, &QAction::text);
            if (action != actions.end()) menu->setActiveAction(*action);
            QTest::keyClick(menu, Qt::Key_Return);
        };
        const auto halvesAre = [&](const QString& a, const QString& b) {
            CompareDialog& dialog = *controller().dialog();
            const bool are = dialog.what(0)->currentText() == a && dialog.what(1)->currentText() == b;
            QTest::keyClick(&dialog, Qt::Key_Escape);
            return are;
        };
        ask({40}, "Compare with\u2026");
        QTRY_VERIFY(controller().dialog() != nullptr);
        const QString all = QString("all %1 open reports").arg(m_paths.size());
        QVERIFY(halvesAre("rank40.pt.trace.json", all));
        QTRY_VERIFY(controller().dialog() == nullptr);
        // Hidden slices are left out, with a message.
        const ReportKey hidden(rows[40].data(ReportTreeModel::keyRole).toUInt());
        part<WorkspaceController>().setShown({hidden}, false);
        settle();
        QSignalSpy told(&view().notices(), &Notices::posted);
        ask({40}, "Compare with\u2026");
        QVERIFY(controller().dialog() == nullptr && !controller().isBusy());
        QVERIFY2(told.value(0).value(0).toString().contains("hidden"),
                 qPrintable(told.value(0).value(0).toString()));
        ask({12, 40, 41}, "Compare with\u2026");
        QTRY_VERIFY(controller().dialog() != nullptr);
        QVERIFY2(told.value(1).value(0).toString().startsWith("1 of 3"),
                 qPrintable(told.value(1).value(0).toString()));
        QVERIFY(halvesAre("2 selected reports", QString("all %1 open reports").arg(m_paths.size() - 1)));
        QTRY_VERIFY(controller().dialog() == nullptr);
        ask({7, 50}, "Compare these two\u2026");
        QTRY_VERIFY(controller().dialog() != nullptr);
        QVERIFY(halvesAre("rank7.pt.trace.json", "rank50.pt.trace.json"));
    }

    void bothPanesMoveTogether()
    {
        compare(1, 2);
        const Duration shift{10'000'000};
        const auto isCoupled = [&] {
            return compareView().half(1).viewState().visible().begin -
                           compareView().half(0).viewState().visible().begin ==
                       shift &&
                   compareView().half(1).viewState().visible().length() ==
                       compareView().half(0).viewState().visible().length();
        };
        QVERIFY(isCoupled());
        for (const int key : {Qt::Key_W, Qt::Key_W, Qt::Key_D, Qt::Key_A, Qt::Key_S}) {
            const TimeRange before = compareView().half(0).viewState().visible();
            QTest::keyClick(&compareView().half(0), static_cast<Qt::Key>(key));
            QVERIFY(compareView().half(0).viewState().visible() != before && isCoupled());
        }
        compareView().other().setFocus();
        const TimeRange before = view().viewState().visible();
        QTest::keyClick(&compareView().other(), Qt::Key_W);
        QTRY_VERIFY(view().viewState().visible() != before && isCoupled());
        // Unlinked panes move separately; when they are linked again, the other follows.
        QTest::keyClick(&compareView().other(), Qt::Key_Y, Qt::ShiftModifier);
        QTest::keyClick(&view(), Qt::Key_W);
        QVERIFY(!isCoupled());
        QTest::mouseClick(&test::part<QPushButton>(compareView().bar(), "link"), Qt::LeftButton);
        QVERIFY(isCoupled());
        test::part<QCheckBox>(compareView().bar()).click();
        QTest::keyClick(&view(), Qt::Key_W);
        QVERIFY(view().viewState().visible().length() !=
                compareView().other().viewState().visible().length());
        test::part<QCheckBox>(compareView().bar()).click();
        QVERIFY(isCoupled());
    }

    void lanesCollapseAndScrollTogether()
    {
        compare(1, 2);
        const LaneTree& tree = view().state().tree();
        uint32_t group = kNoLane;
        for (uint32_t lane = 0; lane < tree.size(); ++lane)
            if (tree.lane(lane).isRankMap()) group = lane;
        view().lanes().editLanes([&](LaneState& lanes) {
            if (group != kNoLane) lanes.fold(tree.lane(group), false);
        });
        QVERIFY(compareView().other().lanes().laneState().collapsed == view().lanes().laneState().collapsed);
        view().scrollTo(400);
        QCOMPARE(compareView().other().state().scroll, view().state().scroll);
        compareView().other().scrollTo(150);
        QCOMPARE(view().state().scroll, compareView().other().state().scroll);
    }

    // Matches are marked and counted in both panes, also after the compared runs change, and not after the
    // comparison.
    void searchMatchesAreMarkedInBothPanes()
    {
        QLineEdit& field = *part<TopStrip>().searchField();
        compare(1, 2);
        field.setFocus();
        QTest::keyClicks(&field, "ReduceScatter");
        settle();
        const uint64_t all = m_paths.size() * 3 * 4;
        const auto hitsOf = [&](int half) {
            const auto& hits = compareView().half(half).displayList().hits;
            return hits == nullptr ? uint64_t(0) : hits->count();
        };
        QCOMPARE(hitsOf(0), all);
        QCOMPARE(hitsOf(1), all);
        QVERIFY(std::ranges::any_of(compareView().half(1).displayList().lanes, &DisplayLane::isHitCount));
        QTest::keyClick(&view(), Qt::Key_Y); // swaps the panes
        settle();
        QCOMPARE(hitsOf(0), all);
        QCOMPARE(hitsOf(1), all);
        field.clear();
        settle();
        QCOMPARE(hitsOf(0) + hitsOf(1), uint64_t(0));
    }

    void clickShowsTheChange()
    {
        compare(1, 2);
        const SlicePair pair =
            firstPair([](const SlicePair& one) { return one.isBoth() && one.later.ns > 0; });
        QVERIFY(pair.a.isValid());
        view().selector().select(pair.a, true);
        view().navigation().zoomToSelected();
        settle();
        view().selector().select({}, false);
        clickOn(view(), pair.a);
        QCOMPARE(view().viewState().slice(), pair.a);
        QCOMPARE(compareView().other().viewState().slice(), pair.b);
        QVERIFY(part<PairOverlay>().content().halves[0].slice.has_value());
        const QString card = part<PairOverlay>().cardText();
        QVERIFY2(card.contains("later") && card.contains("matched"), qPrintable(card));
        // And from the lower pane.
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(compareView().isComparing() && !compareView().pair());
        compareView().other().selector().select(pair.b, true);
        QCOMPARE(view().viewState().slice(), pair.a);
        const SlicePair gone = firstPair([](const SlicePair& one) { return one.isMissing(); });
        QVERIFY(gone.a.isValid());
        view().selector().select(gone.a, true);
        QVERIFY2(part<PairOverlay>().cardText().contains("missing in B"),
                 qPrintable(part<PairOverlay>().cardText()));
        QVERIFY(!compareView().other().viewState().slice().isValid());
    }

    // The kernel in the middle that rank 1 misses is the only missing one, and it is named.
    void missingSliceShiftsNoOther()
    {
        compare(1, 2);
        const SlicePairs& pairs = compareView().halves()->pairs;
        QCOMPARE(pairs.missing, uint64_t(1));
        QCOMPARE(pairs.added, uint64_t(0));
        const SlicePair gone = firstPair([](const SlicePair& one) { return one.isMissing(); });
        const TraceTime zero = compareView().halves()->sides[0].range.begin;
        QCOMPARE((gone.at - zero).ns, int64_t(2'600'000)); // 100 us + 5 * 500 us
        for (const SlicePair& pair : pairs.pairs)
            QVERIFY(std::abs(pair.later.ns) <= 300'000);
    }

    void swapExchangesThePanes()
    {
        compare(1, 2);
        const TimeRange first = compareView().halves()->sides[0].range;
        QTest::keyClick(&view(), Qt::Key_Y);
        settle();
        QCOMPARE(compareView().halves()->sides[1].range.begin.ns, first.begin.ns);
        QVERIFY(compareView().title(0).title().startsWith("step 2"));
        QCOMPARE(compareView().ownHalf(), 1);
        QVERIFY(view().y() > compareView().other().y());
        QCOMPARE(compareView().halves()->pairs.added, uint64_t(1));
        QTest::mouseClick(&test::part<QPushButton>(compareView().bar(), "swap"), Qt::LeftButton);
        settle();
        QCOMPARE(compareView().ownHalf(), 0);
        QTest::mouseClick(&test::part<QPushButton>(compareView().bar(), "close"), Qt::LeftButton);
        QVERIFY(!compareView().isComparing());
    }

    void changesAddUp()
    {
        compare(1, 2);
        QVERIFY2(panel().note().startsWith("Comparable."), qPrintable(panel().note()));
        QVERIFY(panel().view()->model()->rowCount() >= 3);
        const auto& length = panel().length()->change();
        QVERIFY(length && !length->parts.empty());
        int64_t sum_ns = 0;
        for (const LengthChange::Part& part : length->parts)
            sum_ns += part.change_ns;
        QCOMPARE(sum_ns, length->after_ns - length->before_ns);
        // A row leads to its instances in both panes.
        view().selector().select({}, false);
        panel().view()->setFocus();
        panel().view()->selectTableRow(0);
        QTest::keyClick(panel().view(), Qt::Key_Return);
        settle();
        QVERIFY(view().viewState().slice().isValid() && compareView().other().viewState().slice().isValid());
        for (int by = 1; by < 3; ++by) {
            panel().grouping()->button(by)->click();
            settle();
            QVERIFY2(panel().view()->model()->rowCount() > 0, qPrintable(panel().foot()));
        }
        QCOMPARE(panel().view()->model()->rowCount(), 64);
    }

    void looksRight()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        for (const auto& [isDark, isColorBlind] :
             {std::pair(false, false), std::pair(true, false), std::pair(false, true)}) {
            m_settings->setThemeChoice(isDark ? ThemeChoice::dark : ThemeChoice::light);
            m_settings->remember("look/color_blind", isColorBlind);
            const bool isSharp = m_window->devicePixelRatioF() > 1;
            makeWindow({.size = isSharp ? QSize(1920, 1080) : QSize(1280, 720),
                        .isDark = isDark,
                        .isMotionReduced = true});
            QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
            open(m_paths);
            compare(1, 2);
            const SlicePair pair =
                firstPair([](const SlicePair& one) { return one.isBoth() && one.later.ns > 200'000; });
            view().selector().select(pair.a, true);
            settle();
            const QString name =
                QString("/compare_steps_%1%2%3.png")
                    .arg(isDark ? "dark" : "light", isColorBlind ? "_cb" : "", isSharp ? "_4k" : "");
            if (!folder.isEmpty()) m_window->grab().save(folder + name);
            // Both panes have the same height, and the strip is between them.
            const int heights[] = {compareView().half(0).pane().lanesRect().height(),
                                   compareView().half(1).pane().lanesRect().height()};
            QVERIFY2(std::abs(heights[0] - heights[1]) <= 2,
                     qPrintable(QString("%1 %2").arg(heights[0]).arg(heights[1])));
            QCOMPARE(compareView().half(0).pane().lanesRect().width(),
                     compareView().half(1).pane().lanesRect().width());
            QVERIFY(compareView().delta().height() >= 40);
        }
        m_settings->remember("look/color_blind", false);
    }

  private:
    CompareView& compareView() { return part<CompareView>(); }
    ChangesPanel& panel() { return part<ChangesPanel>(); }
    CompareController& controller() { return part<CompareController>(); }

    void compare(int64_t a, int64_t b)
    {
        controller().chooseSides();
        QTRY_VERIFY(controller().dialog() != nullptr);
        CompareDialog& dialog = *controller().dialog();
        const auto choose = [&](int half, int64_t step) {
            dialog.step(half)->setCurrentIndex(
                dialog.step(half)->findData(QVariant::fromValue<qlonglong>(step)));
        };
        choose(0, a);
        choose(1, b);
        QTest::mouseClick(&test::part<QPushButton>(dialog, "compare"), Qt::LeftButton);
        settle();
        QVERIFY(compareView().isComparing());
        activate();
    }

    // The dialog had the focus.
    void activate()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    SlicePair firstPair(const std::function<bool(const SlicePair&)>& suits)
    {
        const std::vector<SlicePair>& pairs = compareView().halves()->pairs.pairs;
        const auto at = std::ranges::find_if(pairs, suits);
        return at == pairs.end() ? SlicePair() : *at;
    }

    void clickOn(TimelineView& timeline, SliceRef slice)
    {
        auto* const canvas = timeline.findChild<TimelineCanvas*>();
        const QPoint at = timeline.pane().sliceRect(slice).center() - canvas->pos();
        QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
    }

    test::TempDir m_run;
    std::vector<std::filesystem::path> m_paths;
};

LOCKSTEP_TEST(CompareWindowTest, "compare_window_test")
#include "compare_window_test.moc"
