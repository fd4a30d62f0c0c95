// SPDX-License-Identifier: Apache-2.0
// Tests that closed reports release their memory: whatever was done with them, nothing holds them once they
// are closed and the window is idle.
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QtTest>

#include "app/window/compare_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/gui/support/compared_run.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/top_strip.h"
#include "ui/window/panel.h"

using namespace lockstep;

class ClosedReportsTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        open(test::writeComparedRun(*m_folder, "run", {.ranks = 4}));
        view().setFocus();
    }

    void nothingHoldsClosedReports_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* const what :
             {"nothing", "search", "select", "panels", "hide", "compare", "zoom", "regroup"})
            QTest::newRow(what) << QString(what);
    }
    void nothingHoldsClosedReports()
    {
        QFETCH(QString, what);
        if (what == "search") {
            part<TopStrip>().searchField()->setFocus();
            QTest::keyClicks(part<TopStrip>().searchField(), "gemm");
            settle();
            QTest::keyClick(part<TopStrip>().searchField(), Qt::Key_Return, Qt::ControlModifier);
        } else if (what == "select") {
            const ReportKey key = reports().scene()->shown.keys().front();
            view().selector().select({key, SliceId(5u)}, true);
            for (const int letter : {Qt::Key_N, Qt::Key_O, Qt::Key_X, Qt::Key_C, Qt::Key_J, Qt::Key_M})
                QTest::keyClick(&view(), static_cast<Qt::Key>(letter));
        } else if (what == "panels") {
            for (Panel* const panel : m_window->findChildren<Panel*>()) {
                if (auto* const dock = qobject_cast<QDockWidget*>(panel->parentWidget())) dock->raise();
                settle();
            }
        } else if (what == "hide") {
            const std::vector<ReportKey> keys = reports().scene()->shown.keys();
            reports().setShown({keys.front()}, false);
            settle();
        } else if (what == "compare") {
            auto& comparing = part<CompareController>();
            comparing.chooseSides();
            QTRY_VERIFY(comparing.dialog() != nullptr);
            QTest::keyClick(comparing.dialog(), Qt::Key_Return);
            settle();
        } else if (what == "zoom") {
            for (const int letter : {Qt::Key_W, Qt::Key_W, Qt::Key_D, Qt::Key_Backspace})
                QTest::keyClick(&view(), static_cast<Qt::Key>(letter));
        } else if (what == "regroup") {
            view().lanes().editLanes([](LaneState& lanes) { lanes.grouping = LaneGrouping::step; });
        }
        settle();
        verifyNothingIsHeld(4);
    }

    // One real file of each kind, viewed in every panel.
    void nothingHoldsClosedRealFiles_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* const file : {"memory/forward_cuda.pickle", "memory/memory_timeline.raw.json.gz",
                                       "memory/snapshot_expandable.pkl", "nsys/h100_matmul_2024.6.sqlite",
                                       "kineto/sglang_decode.json.gz", "ascend/rank0.trace_view.json.gz"})
            QTest::newRow(file) << QString(file);
    }
    void nothingHoldsClosedRealFiles()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        reports().close(reports().reports().openKeys());
        settle();
        m_window->open({test::sharedData() / file.toStdString()});
        QTRY_VERIFY(reports().scene()->shown.size() == 1 && m_window->isSettled());
        for (Panel* const panel : m_window->findChildren<Panel*>()) {
            if (auto* const dock = qobject_cast<QDockWidget*>(panel->parentWidget())) dock->raise();
            settle();
            for (QListWidget* const list : panel->findChildren<QListWidget*>()) {
                for (int row = 0; row < std::min(list->count(), panel->title() == "Memory" ? 12 : 3); ++row) {
                    list->setCurrentRow(row);
                    settle();
                }
            }
        }
        for (const int letter : {Qt::Key_W, Qt::Key_Right, Qt::Key_N, Qt::Key_M, Qt::Key_Tab, Qt::Key_F})
            QTest::keyClick(&view(), static_cast<Qt::Key>(letter));
        settle();
        verifyNothingIsHeld(1);
    }

    // The first use creates lazy objects; later uses must not add objects that remain.
    void repeatedUseLeavesNoObjects_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* const what : {"menus", "openAndClose", "pages", "fullHeight", "workspace"})
            QTest::newRow(what) << QString(what);
    }
    void repeatedUseLeavesNoObjects()
    {
        QFETCH(QString, what);
        std::map<QString, int> first;
        for (int time = 0; time < 5; ++time) {
            use(what);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            std::map<QString, int> now;
            for (const QObject* const object : m_window->findChildren<QObject*>())
                ++now[QString("%1 %2").arg(object->metaObject()->className(), object->objectName())];
            if (time == 1) first = now;
            if (time < 4) continue;
            for (const auto& [name, count] : now)
                QVERIFY2(count <= first[name],
                         qPrintable(QString("%1: %2, then %3").arg(name).arg(first[name]).arg(count)));
        }
    }

  private:
    void verifyNothingIsHeld(size_t count)
    {
        std::vector<std::weak_ptr<const Report>> open;
        const Workspace& all = reports().scene()->open;
        for (const ReportKey key : all.keys())
            open.push_back(all.shared(key));
        QCOMPARE(open.size(), count);
        const std::weak_ptr<const Scene> scene = reports().scene();
        reports().close(reports().reports().openKeys());
        settle();
        const auto isHeld = [](const auto& report) { return !report.expired(); };
        QTRY_COMPARE(std::ranges::count_if(open, isHeld), 0);
        QTRY_VERIFY(scene.expired());
    }

    void use(const QString& what)
    {
        if (what == "menus") {
            const QList<QMenu*> menus = m_window->findChildren<QMenu*>();
            for (const QPointer<QMenu>& menu : QList<QPointer<QMenu>>(menus.begin(), menus.end())) {
                if (menu == nullptr) continue; // of a menu that was rebuilt
                menu->popup({10, 10});
                QTRY_VERIFY(menu->isVisible());
                menu->close();
            }
        } else if (what == "openAndClose") {
            reports().close(reports().reports().openKeys());
            settle();
            m_window->open({m_folder->path() / "run"});
            QTRY_VERIFY(reports().scene()->shown.size() == 4);
        } else if (what == "pages") {
            run("Session page");
            settle();
            run("Timeline page");
        } else if (what == "fullHeight") {
            run("Bottom panels at full height");
            settle();
            run("Bottom panels at full height");
        } else {
            const auto file = m_folder->path() / "kept.lockstep";
            part<SaveController>().saveTo(file);
            settle();
            reports().close(reports().reports().openKeys());
            settle();
            m_window->open({file});
            QTRY_VERIFY(reports().scene()->shown.size() == 4);
        }
        settle();
    }

    WorkspaceController& reports() { return part<WorkspaceController>(); }
};

LOCKSTEP_TEST(ClosedReportsTest, "closed_reports_test")
#include "closed_reports_test.moc"
