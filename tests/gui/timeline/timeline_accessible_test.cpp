// SPDX-License-Identifier: Apache-2.0
// Tests what a screen reader gets of the timeline through Qt's accessibility tree: lanes and slices on
// screen, their times and positions, and the selection. A long trace must cost no more than a screen.
#include <QAccessible>
#include <QtTest>

#include "core/base/text.h"
#include "core/trace/process_groups.h"
#include "tests/support/made_reports.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class TimelineAccessibleTest : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { m_view.reset(); }

    void lanesOnScreenAreChildren()
    {
        show(test::madeScene(test::madeWorkspace(1)));
        QAccessibleInterface* const all = lanes();
        QCOMPARE(all->role(), QAccessible::Tree);
        QCOMPARE(static_cast<size_t>(all->childCount()), m_view->displayList().lanes.size());
        QCOMPARE(all->parent(), QAccessible::queryAccessibleInterface(m_view.get()));
        for (int i = 0; i < all->childCount(); ++i) {
            QAccessibleInterface* const lane = all->child(i);
            const DisplayLane& shown = m_view->displayList().lanes[static_cast<size_t>(i)];
            QVERIFY(lane->isValid());
            QCOMPARE(lane->role(), QAccessible::TreeItem);
            QCOMPARE(lane->text(QAccessible::Name),
                     QString::fromStdString(m_view->state().tree().pathOf(shown.lane)));
            QCOMPARE(lane->parent(), all);
            QCOMPARE(all->indexOfChild(lane), i);
            QCOMPARE(bool(lane->state().expandable), shown.hasTriangle);
            QVERIFY(canvas()->rect().contains(
                QRect(canvas()->mapFromGlobal(lane->rect().topLeft()), lane->rect().size())));
        }
        QVERIFY(all->child(-1) == nullptr && all->child(all->childCount()) == nullptr);
    }

    void slicesDescribeThemselves()
    {
        show(test::madeScene(test::madeWorkspace(1)));
        int slices = 0;
        for (int i = 0; i < lanes()->childCount(); ++i) {
            QAccessibleInterface* const lane = lanes()->child(i);
            for (int j = 0; j < lane->childCount(); ++j, ++slices) {
                QAccessibleInterface* const slice = lane->child(j);
                QCOMPARE(lane->indexOfChild(slice), j);
                QVERIFY(!slice->text(QAccessible::Name).isEmpty());
                const QString facts = slice->text(QAccessible::Description);
                QVERIFY2(facts.contains(" of ") && facts.contains(", rank "), qPrintable(facts));
                QVERIFY(lane->rect().intersects(slice->rect()));
            }
        }
        QVERIFY(slices > 3);
        QAccessibleInterface* const one = firstSlice();
        one->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        const SliceRef selected = m_view->viewState().slice();
        QVERIFY(selected.isValid() && one->state().selected);
        const Report& report = m_view->scene().shown.report(selected.report);
        QCOMPARE(one->text(QAccessible::Name),
                 QString::fromStdString(std::string(report.nameOf(selected.slice))));
        const Track& track = report.track(report.trackOf(selected.slice));
        const QString place = QString("number %1 of %2")
                                  .arg(selected.slice.value - track.firstSlice.value + 1)
                                  .arg(track.sliceCount);
        QVERIFY(one->text(QAccessible::Description).contains(place));
        const QString length = QString::fromStdString(durationText(report.slices.duration(selected.slice)));
        QVERIFY(one->text(QAccessible::Value).contains("lasts " + length));
    }

    void focusFollowsTheKeyboard()
    {
        show(test::madeScene(test::madeWorkspace(1)));
        QAccessibleInterface* const view = QAccessible::queryAccessibleInterface(m_view.get());
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QAccessibleInterface* lane = view->focusChild();
        QCOMPARE(lane->role(), QAccessible::TreeItem);
        QVERIFY(lane->state().focused);
        firstSlice()->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        for (const Qt::Key key : {Qt::Key_Period, Qt::Key_Period, Qt::Key_Comma}) {
            const SliceRef before = m_view->viewState().slice();
            QTest::keyClick(m_view.get(), key);
            if (m_view->viewState().slice() == before) continue; // the end of the row
            QAccessibleInterface* const slice = view->focusChild();
            QCOMPARE(slice->role(), QAccessible::ListItem);
            QVERIFY(slice->state().focused && slice->state().selected);
            QVERIFY(!slice->rect().isEmpty());
            QVERIFY(slice->parent()->indexOfChild(slice) >= 0);
        }
        m_view->clearFocus();
        QVERIFY(view->focusChild() != firstSlice());
    }

    // The lane reports that it has more slices than it lists.
    void unlistedSlicesAreReported()
    {
        Workspace workspace;
        test::RankReport made(0, "node0", 1'700'000'000'000'000'000);
        for (int64_t i = 0; i < 700; ++i)
            made.addKernel(i * 1'000, i * 1'000 + 900, "gemm");
        workspace.add(made.finish());
        completeIdentities(workspace);
        show(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        m_view->resize(8'000, 720);
        QTRY_VERIFY(m_view->displayList().size.width > 7'000);
        QString said;
        for (int i = 0; i < lanes()->childCount(); ++i) {
            if (lanes()->child(i)->childCount() < static_cast<int>(LanesAccessible::kMaxSlicesPerLane))
                continue;
            said = lanes()->child(i)->text(QAccessible::Description);
            const QRect last = lanes()->child(i)->child(3)->rect();
            QCOMPARE(lanes()->child(i)->childAt(last.center().x(), last.center().y()),
                     lanes()->child(i)->child(3));
        }
        QVERIFY2(said.contains("only the first 500"), qPrintable(said));
    }

    void closedViewsAreInvalid()
    {
        show(test::madeScene(test::madeWorkspace(1)));
        QAccessibleInterface* const slice = firstSlice();
        QAccessibleInterface* const lane = slice->parent();
        m_view->setScene(std::make_shared<const Scene>());
        QVERIFY(!slice->isValid() && !lane->isValid());
        QCOMPARE(slice->text(QAccessible::Description), QString());
        QCOMPARE(lane->childCount(), 0);
        QCOMPARE(slice->rect(), QRect());
        QCOMPARE(lanes()->childCount(), 0);
    }

    // A list of a million slices is never made: only as many as a screen has pixels, in the time of a screen.
    void longTraceCostsOnlyAScreen()
    {
        Workspace workspace;
        test::RankReport made(0, "node0", 1'700'000'000'000'000'000);
        constexpr int kSlices = 300'000;
        for (int64_t i = 0; i < kSlices; ++i)
            made.addKernel(i * 1'000, i * 1'000 + 900, i % 2 == 0 ? "gemm" : "flash");
        workspace.add(made.finish());
        completeIdentities(workspace);
        show(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        QElapsedTimer taken;
        taken.start();
        int all = 0;
        for (int i = 0; i < lanes()->childCount(); ++i) {
            const int count = lanes()->child(i)->childCount();
            QVERIFY(static_cast<size_t>(count) <= LanesAccessible::kMaxSlicesPerLane + 1);
            for (int j = 0; j < count; ++j)
                all += lanes()->child(i)->child(j)->text(QAccessible::Name).isEmpty() ? 0 : 1;
        }
        QVERIFY(all < 2'000);
        m_view->selector().select({m_view->scene().shown.keys().front(), SliceId(size_t{150'000})}, true);
        QAccessibleInterface* const inFocus =
            QAccessible::queryAccessibleInterface(m_view.get())->focusChild();
        QVERIFY(
            inFocus->text(QAccessible::Description).contains(QString::fromStdString(groupedText(kSlices))));
        qInfo("%d of %d slices listed in %lld ms", all, kSlices, static_cast<long long>(taken.elapsed()));
        for (int i = 0; i < 3 * static_cast<int>(LanesAccessible::kMaxSliceObjects); ++i) {
            m_view->selector().select({m_view->scene().shown.keys().front(), SliceId(static_cast<size_t>(i))},
                                      false);
            QVERIFY(QAccessible::queryAccessibleInterface(m_view.get())->focusChild()->isValid());
        }
    }

  private:
    void show(ScenePtr scene)
    {
        m_view.reset();
        m_viewState = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(*m_viewState, m_notices, test::workers());
        m_view->navigation().setReducedMotion(true);
        m_view->resize(1280, 720);
        m_view->setScene(std::move(scene));
        m_view->show();
        QVERIFY(QTest::qWaitForWindowActive(m_view.get()));
        m_view->setFocus();
    }

    TimelineCanvas* canvas() const { return m_view->findChild<TimelineCanvas*>(); }
    QAccessibleInterface* lanes() const { return QAccessible::queryAccessibleInterface(canvas()); }

    QAccessibleInterface* firstSlice() const
    {
        for (int i = 0; i < lanes()->childCount(); ++i) {
            if (lanes()->child(i)->childCount() > 0) return lanes()->child(i)->child(0);
        }
        return nullptr;
    }

    Notices m_notices;
    std::unique_ptr<ViewState> m_viewState;
    std::unique_ptr<TimelineView> m_view;
};

LOCKSTEP_TEST(TimelineAccessibleTest, "timeline_accessible_test")
#include "timeline_accessible_test.moc"
