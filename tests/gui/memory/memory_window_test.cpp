// SPDX-License-Identifier: Apache-2.0
// Tests the memory panel in the window: its command opens it, its key gives it the whole window, and it can
// show moments in the timeline. With LOCKSTEP_PICTURES=FOLDER the window is saved as a picture.
#include "app/window/full_height_button.h"
#include "app/window/main_window.h"
#include "tests/support/in_window.h"

#include <QListWidget>
#include <QTabBar>
#include <QToolButton>

#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/memory_panel.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/table_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class MemoryWindowTest : public QObject {
    Q_OBJECT

  private:
    void make(bool isDark, QSize size, const std::filesystem::path& file)
    {
        m_window.reset();
        m_settings = std::make_unique<Settings>(test::settingsFile(m_folder));
        m_window = std::make_unique<MainWindow>(*m_settings, isDark, test::workers(), test::memory());
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->open({file});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 20'000);
        test::run(*m_window, "GPU memory");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 20'000);
    }
    static std::filesystem::path snapshot()
    {
        return test::sourceFolder() / "tests/golden/memory/snapshots/random.pickle";
    }

    test::TempDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

  private slots:
    void cleanup() { m_window.reset(); }

    void commandBringsThePanelToTheFront()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = test::part<MemoryPanel>(*m_window);
        QVERIFY(panel.isVisible() && !panel.visibleRegion().isEmpty());
        QVERIFY(panel.open<FlamePane>().view()->picture() != nullptr);
    }

    void fullHeightAndBack()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = test::part<MemoryPanel>(*m_window);
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
        test::run(*m_window, "Session page");
        QVERIFY(page.isVisible());
        test::run(*m_window, "Timeline page");
        QVERIFY(page.isVisible() && panel.isVisible());
        QTRY_COMPARE(panel.height(), before);
    }

    void buttonNextToTheTabs()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = test::part<MemoryPanel>(*m_window);
        auto& place = test::part<FullHeightButton>(*m_window);
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
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 20'000);
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
        test::run(*m_window, "Session page");
        QTRY_VERIFY(!place.isVisible());
        test::run(*m_window, "Timeline page");
        QTRY_VERIFY(place.isVisible());
    }

    // Details open when something is selected, but never over the panel that shows it.
    void panelWithTheSelectionStaysInFront()
    {
        make(false, {1280, 720}, snapshot());
        auto& panel = test::part<MemoryPanel>(*m_window);
        auto& state = panel.open<AllocatorPane>();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 20'000);
        state.map()->setFocus();
        QTest::keyClick(state.map(), Qt::Key_Down);
        auto& timeline = test::part<TimelineView>(*m_window);
        QCOMPARE(timeline.viewState().block().life, state.map()->chosen());
        QVERIFY(timeline.viewState().block().isValid());
        QVERIFY(!panel.visibleRegion().isEmpty());
        QVERIFY(state.map()->hasFocus());
        const BlockRef block = timeline.viewState().block();
        timeline.viewState().setBlock({});
        test::run(*m_window, "Details");
        QTRY_VERIFY(panel.visibleRegion().isEmpty());
        timeline.viewState().setBlock(block);
        QVERIFY(!test::part<DetailsPanel>(*m_window).visibleRegion().isEmpty());
    }

    void picturesForInspection()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        for (const bool isDark : {false, true}) {
            make(isDark, {1280, 720}, test::sourceFolder() / "tests/golden/memory/snapshots/oom.pickle");
            auto& areas = test::part<MemoryPanel>(*m_window).open<AreaPane>();
            QTRY_VERIFY(m_window->isSettled());
            const QRect plot = areas.view()->plot();
            QTest::mouseClick(areas.view(), Qt::LeftButton, {}, {plot.center().x(), plot.bottom() - 4});
            QTest::qWait(300);
            m_window->grab().save(QString("%1/areas_%2.png").arg(folder, isDark ? "dark" : "light"));
        }
        for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)}) {
            for (const bool isDark : {false, true}) {
                make(isDark, size, test::sharedData("memory/forward_cuda.pickle"));
                auto& panel = test::part<MemoryPanel>(*m_window);
                auto& state = panel.open<AllocatorPane>();
                test::run(*m_window, "Bottom panels at full height");
                QTest::qWait(300);
                QTRY_VERIFY(m_window->isSettled());
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
