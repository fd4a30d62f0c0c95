// SPDX-License-Identifier: Apache-2.0
// Tests the slice menu in the whole window, on public files: panels show the requested slice; hidden names
// are mentioned in panels and saved in the workspace; undo shows them again. Also tests how the menu looks.
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStatusBar>
#include <QtTest>

#include "app/window/work_sections.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/events/events_panel.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/table_view.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/slice_menu.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class SliceMenuWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        open(false);
    }

    // Exactly this name, although other names contain it.
    void eventsListTheName()
    {
        QTest::keyClick(&view(), Qt::Key_E);
        EventsPanel& events = part<EventsPanel>();
        settle();
        QVERIFY(events.isVisible());
        const NameCounts counts = countSameName(scene(), m_kernel);
        QCOMPARE(static_cast<uint64_t>(events.table()->model().rowCount()), counts.everywhere);
        for (int row = 0; row < events.table()->model().rowCount(); ++row)
            QCOMPARE(events.table()->model().factsAt(row).name, name());
        QVERIFY(!test::part<QLabel>(events, "hiddenNamesNote").isVisible());
    }

    void kernelsGoToItsRow()
    {
        QTest::keyClick(&view(), Qt::Key_K);
        KernelPanel& kernels = part<KernelPanel>();
        QTRY_VERIFY(m_window->isSettled() && !kernels.isBusy() && kernels.view()->currentTableRow() >= 0);
        const Table& table = *kernels.table();
        QCOMPARE(
            table.cell(table.columnNamed("Name"), static_cast<size_t>(kernels.view()->currentTableRow())),
            std::string(scene().shown.report(m_kernel.report).shortNameOf(m_kernel.slice)));
        QVERIFY(kernels.isVisible());
    }

    void hiddenNamesAreReportedSavedAndUndone()
    {
        QTest::keyClick(&view(), Qt::Key_H);
        QVERIFY(part<QPushButton>("hiddenNames").isVisible());
        QCOMPARE(part<ViewState>().hiddenNames().size(), qsizetype(1));
        EventsPanel& events = part<EventsPanel>();
        run("Events");
        settle();
        QVERIFY(test::part<QLabel>(events, "hiddenNamesNote").isVisible());
        QVERIFY(test::part<QLabel>(events, "hiddenNamesNote").text().contains("1 name hidden"));
        // As a workspace saves it.
        Work work;
        work.lanes = view().lanes().laneState();
        const Work again = readWork(sectionsOf(work), 1).work;
        QVERIFY(again.lanes.hiddenNames == work.lanes.hiddenNames && !again.lanes.hiddenNames.empty());
        run("Undo");
        QVERIFY(!part<QPushButton>("hiddenNames").isVisible() &&
                view().lanes().laneState().hiddenNames.empty());
        QVERIFY(!test::part<QLabel>(events, "hiddenNamesNote").isVisible());
    }

    void commandsRunByName()
    {
        run("Select all slices with this name everywhere");
        settle();
        QCOMPARE(view().viewState().slices()->size(), countSameName(scene(), m_kernel).everywhere);
        run("Highlight critical path");
        settle();
        QVERIFY2(status().contains("ritical path") || status().contains("Not possible"),
                 qPrintable(status()));
        run("Highlight launch chain");
        QVERIFY2(status().startsWith("No launch chain: ") || status().startsWith("Launch chain: "),
                 qPrintable(status()));
    }

    // Neither the menu nor its submenu extends beyond the window's screen, at any size and theme.
    void looksRight()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        const bool isSharp = m_window->devicePixelRatioF() > 1;
        for (const bool isDark : {false, true}) {
            open(isDark, isSharp ? QSize(1920, 1080) : QSize(1280, 720));
            view().navigation().zoomToSelected();
            QTest::keyClick(&view(), Qt::Key_Menu);
            SliceMenu* const menu = view().sliceCommands().menu();
            QVERIFY(menu != nullptr);
            settle();
            const QPixmap shot = menu->grab();
            QVERIFY(menu->width() >= 306 && menu->width() < 420);
            test::part<QMenu>(*menu).popup(menu->pos() + QPoint(menu->width(), 100));
            const QPixmap scopes = test::part<QMenu>(*menu).grab();
            if (!folder.isEmpty()) {
                const QString theme = isDark ? "dark" : "light";
                QPixmap whole = m_window->grab();
                QPainter painter(&whole);
                const QPoint at = m_window->mapFromGlobal(menu->pos());
                painter.drawPixmap(at, shot);
                painter.drawPixmap(at + QPoint(menu->width() - 2, 120), scopes);
                painter.end();
                whole.save(folder + (isSharp ? "/slice_menu_4k_" : "/slice_menu_") + theme + ".png");
            }
            test::part<QMenu>(*menu).close();
            menu->close();
            QTest::keyClick(&view(), Qt::Key_C);
            settle();
            run("Kernels in the visible range");
            settle();
            if (!folder.isEmpty())
                m_window->grab().save(folder + "/lit_" + (isDark ? "dark" : "light") +
                                      (isSharp ? "_4k.png" : ".png"));
            view().selector().select(m_kernel, true);
            QTest::keyClick(&view(), Qt::Key_Escape);
            view().setFocus();
            QTest::keyClick(&view(), Qt::Key_H);
            settle();
            if (!folder.isEmpty())
                m_window->grab().save(folder + "/hidden_" + (isDark ? "dark" : "light") +
                                      (isSharp ? "_4k.png" : ".png"));
        }
    }

  private:
    void open(bool isDark, QSize size = {1280, 720})
    {
        cleanup(); // other settings
        makeWindow({.size = size, .isDark = isDark});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->open({test::sharedData("nsys/h100_2gpu_nccl_2026.2.sqlite")});
        QTRY_VERIFY(scene().shown.size() == 1 && m_window->isSettled());
        m_kernel = {};
        const ReportKey key = scene().shown.keys()[0];
        const Report& report = scene().shown.report(key);
        for (uint32_t row = 0; row < report.slices.size(); ++row) {
            if (report.slices.kind[row] == RowKind::kernel && !m_kernel.isValid())
                m_kernel = {key, SliceId(row)};
        }
        QVERIFY(m_kernel.isValid());
        view().selector().select(m_kernel, true);
        view().setFocus();
    }
    std::string_view name() { return scene().shown.report(m_kernel.report).nameOf(m_kernel.slice); }
    QString status() { return m_window->statusBar()->currentMessage(); }

    SliceRef m_kernel;
};

LOCKSTEP_TEST(SliceMenuWindowTest, "slice_menu_window_test")
#include "slice_menu_window_test.moc"
