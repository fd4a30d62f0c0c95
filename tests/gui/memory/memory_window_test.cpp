// SPDX-License-Identifier: Apache-2.0
// Tests the memory panel in the window: its command opens it, its key gives it the whole window, and it can
// show moments in the timeline. With LOCKSTEP_PICTURES=FOLDER the window is saved as a picture.
#include "app/window/full_height_button.h"
#include "tests/support/window_fixture.h"

#include <QListWidget>
#include <QTabBar>
#include <QToolButton>

#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/memory_panel.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/table_view.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class MemoryWindowTest : public test::WindowFixture {
    Q_OBJECT

  private:
    void make(bool isDark, QSize size, const std::filesystem::path& file)
    {
        makeWindow({.size = size, .isDark = isDark});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->open({file});
        settle();
        run("GPU memory");
        settle();
    }
    static std::filesystem::path snapshot()
    {
        return test::sourceFolder() / "tests/golden/memory/snapshots/random.pickle";
    }

  private slots:
    void commandBringsThePanelToTheFront()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = part<MemoryPanel>();
        QVERIFY(panel.isVisible() && !panel.visibleRegion().isEmpty());
        QVERIFY(panel.open<FlamePane>().view()->picture() != nullptr);
    }

    void fullHeightAndBack()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = part<MemoryPanel>();
        QWidget& page = *m_window->centralWidget();
        const int before = panel.height();
        panel.views()->setFocus();
        QTest::keyClick(panel.views(), Qt::Key_Q, Qt::ShiftModifier);
        QVERIFY(!page.isVisible());
        QTRY_VERIFY(panel.height() > 500);
        QVERIFY(panel.isAncestorOf(m_window->focusWidget()));
        QVERIFY(panel.isVisible() && !panel.visibleRegion().isEmpty());
        QTest::keyClick(panel.views(), Qt::Key_Q, Qt::ShiftModifier);
        QTRY_COMPARE(panel.height(), before);
        QVERIFY(page.isVisible());
        // Another page hides the docks and restores them unchanged.
        QTest::keyClick(panel.views(), Qt::Key_Q, Qt::ShiftModifier);
        run("Session page");
        QVERIFY(page.isVisible());
        run("Timeline page");
        QVERIFY(page.isVisible() && panel.isVisible());
        QTRY_COMPARE(panel.height(), before);
    }

    void buttonNextToTheTabs()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = part<MemoryPanel>();
        auto& place = part<FullHeightButton>();
        QTRY_VERIFY(place.isVisible());
        const int before = panel.height();
        QCOMPARE(place.button()->text(), QString("Full height"));
        const auto isBesideTheTabs = [&] {
            for (const auto* const bar :
                 m_window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
                if (!bar->isVisible() || !bar->geometry().intersects(place.geometry())) continue;
                const QRect last = bar->tabRect(bar->count() - 1).translated(bar->pos());
                return last.right() < place.x() && place.geometry().right() == m_window->width() - 1;
            }
            return false;
        };
        QTRY_VERIFY(isBesideTheTabs());
        QTest::mouseClick(place.button(), Qt::LeftButton);
        QTRY_VERIFY(panel.height() > 500);
        QCOMPARE(place.button()->text(), QString("Restore height"));
        QTRY_VERIFY(place.isVisible() && isBesideTheTabs());
        m_window->resize(1400, 760);
        QTRY_VERIFY(isBesideTheTabs());
        // "Show in timeline" makes the timeline visible.
        auto& flames = panel.open<FlamePane>();
        settle();
        Q_UNUSED(flames);
        for (QToolButton* const link : panel.findChildren<QToolButton*>()) {
            if (link->text() == "Show in timeline" && link->isVisible()) {
                QTest::mouseClick(link, Qt::LeftButton);
                break;
            }
        }
        QVERIFY(m_window->centralWidget()->isVisible());
        QCOMPARE(place.button()->text(), QString("Full height"));
        m_window->resize(1280, 720);
        QTRY_COMPARE(panel.height(), before);
        // The button is hidden where it would cover tabs or where there are none.
        run("Session page");
        QTRY_VERIFY(!place.isVisible());
        run("Timeline page");
        QTRY_VERIFY(place.isVisible());
    }

    // Details open when something is selected, but never over the panel that shows it.
    void panelWithTheSelectionStaysInFront()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = part<MemoryPanel>();
        auto& state = panel.open<AllocatorPane>();
        settle();
        state.map()->setFocus();
        QTest::keyClick(state.map(), Qt::Key_Down);
        auto& timeline = view();
        QCOMPARE(timeline.viewState().block().life, state.map()->chosen());
        QVERIFY(timeline.viewState().block().isValid());
        QVERIFY(!panel.visibleRegion().isEmpty());
        QVERIFY(state.map()->hasFocus());
        const BlockRef block = timeline.viewState().block();
        timeline.viewState().setBlock({});
        run("Details");
        QTRY_VERIFY(panel.visibleRegion().isEmpty());
        timeline.viewState().setBlock(block);
        QVERIFY(!part<DetailsPanel>().visibleRegion().isEmpty());
    }

    void picturesForInspection()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        for (const bool isDark : {false, true}) {
            make(isDark, {1280, 720}, test::sourceFolder() / "tests/golden/memory/snapshots/oom.pickle");
            auto& areas = part<MemoryPanel>().open<AreaPane>();
            settle();
            const QRect plot = areas.view()->plot();
            QTest::mouseClick(areas.view(), Qt::LeftButton, {}, {plot.center().x(), plot.bottom() - 4});
            QTest::qWait(300);
            m_window->grab().save(QString("%1/areas_%2.png").arg(folder, isDark ? "dark" : "light"));
        }
        for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)}) {
            for (const bool isDark : {false, true}) {
                make(isDark, size, test::sharedData("memory/forward_cuda.pickle"));
                auto& panel = part<MemoryPanel>();
                auto& state = panel.open<AllocatorPane>();
                run("Bottom panels at full height");
                QTest::qWait(300);
                settle();
                state.largest()->selectTableRow(2);
                QTest::qWait(100);
                m_window->grab().save(QString("%1/window_%2_%3.png")
                                          .arg(folder)
                                          .arg(size.width())
                                          .arg(isDark ? "dark" : "light"));
            }
        }
    }
};

LOCKSTEP_TEST(MemoryWindowTest, "memory_window_test")
#include "memory_window_test.moc"
