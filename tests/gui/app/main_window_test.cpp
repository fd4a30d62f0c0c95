// SPDX-License-Identifier: Apache-2.0
// Tests the whole window: opening in every way, messages about broken files, drop target, themes, search,
// keyboard.
#include "app/window/start_page_controller.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/window_fixture.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QClipboard>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QTreeView>
#include <QUrl>

#include "tests/support/test_registry.h"
#include "ui/events/event_table.h"
#include "ui/panels/drop_overlay.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/load_list.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/table_view.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/panel.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

std::string traceText(int rank)
{
    const std::string start = std::to_string(1'700'000'000'000'000 + rank * 10);
    return R"({"distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":2},"traceEvents":[)" +
           R"({"ph":"X","ts":)" + start + R"(,"dur":50,"pid":1,"tid":1,"name":"aten::mm","cat":"cpu_op"},)" +
           R"({"ph":"X","ts":)" + start +
           R"(,"dur":20,"pid":0,"tid":7,"name":"gemm_kernel","cat":"kernel",)" +
           R"("args":{"device":0,"stream":7}}]})";
}

} // namespace

class MainWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void opensFilesOnOneAxis()
    {
        QVERIFY(isInFront<StartPageController>());
        open({m_folder->write("t/r0.json", traceText(0)), m_folder->write("t/r1.json", traceText(1))});
        QVERIFY(!isInFront<StartPageController>());
        QCOMPARE(scene().shown.size(), size_t(2));
        QCOMPARE(view().viewState().visible().begin <= TraceTime{0}, true);
        QVERIFY(view().hasFocus()); // its keys work without a click
        QTRY_VERIFY(part<KernelPanel>().table() != nullptr);
        QCOMPARE(part<KernelPanel>().table()->rowCount(), size_t(1));
        QCOMPARE(m_settings->value("open/recent").toStringList().size(), qsizetype(2));
    }

    void reportsBrokenFiles()
    {
        m_window->open({m_folder->write("t/empty.json", ""), m_folder->write("t/text.sqlite", "just text"),
                        m_folder->path() / "nowhere.json"});
        settle();
        QVERIFY(isInFront<StartPageController>());
        run("Import notes");
        QTRY_COMPARE(part<NotesPanel>().model().rowCount(), 3);
        QVERIFY(test::part<LoadList>(part<ReportsPanel>()).isVisible());
        QStringList reasons;
        for (const QLabel* label : test::part<LoadList>(part<ReportsPanel>()).findChildren<QLabel*>()) {
            if (label->property("tone") == "bad") reasons << label->text();
        }
        QCOMPARE(reasons.size(), 3);
        for (const QString& reason : reasons)
            QVERIFY(!reason.isEmpty());
    }

    void acceptsDrops()
    {
        const auto file = m_folder->write("t/r0.json", traceText(0));
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.parent_path().string()))});
        QDragEnterEvent enter({20, 20}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QVERIFY(part<DropOverlay>().isVisible());
        QCOMPARE(part<DropOverlay>().size(), m_window->size());
        QDropEvent drop({20, 20}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        QVERIFY(!part<DropOverlay>().isVisible());
        QTRY_COMPARE(scene().shown.size(), size_t(1));

        QMimeData text;
        text.setText("no file");
        QDragEnterEvent other({20, 20}, Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
        other.ignore();
        QApplication::sendEvent(m_window.get(), &other);
        QVERIFY(!part<DropOverlay>().isVisible());
    }

    void smallWindowsShowSixRows()
    {
        m_window->open({m_folder->write("t/r0.json", traceText(0))});
        settle();
        for (const char* const command : {"Kernels in all reports", "Analyses", "Events"}) {
            run(command);
            settle();
            const Panel* panel = nullptr;
            for (const Panel* const each : m_window->findChildren<Panel*>()) {
                const bool isAtBottom = each->placement().area == Qt::BottomDockWidgetArea;
                if (isAtBottom && each->isInFront()) panel = each;
            }
            QVERIFY(panel != nullptr);
            const QAbstractScrollArea* table = nullptr;
            int row = 0;
            for (const auto* const view : panel->findChildren<TableView*>()) {
                if (view->isVisible()) row = view->verticalHeader()->defaultSectionSize();
                if (view->isVisible()) table = view;
            }
            for (auto* const view : panel->findChildren<EventTable*>()) {
                row = view->fontMetrics().height() + 8;
                table = view;
            }
            QVERIFY2(table != nullptr, command);
            const int rows = table->viewport()->height() / row;
            QVERIFY2(rows >= 6, qPrintable(QString("%1: %2 rows").arg(command).arg(rows)));
        }
    }

    void hidesAndClosesReports()
    {
        open({m_folder->write("t/r0.json", traceText(0)), m_folder->write("t/r1.json", traceText(1))});
        QTreeView* const tree = part<ReportsPanel>().tree();
        QModelIndex leaf = tree->model()->index(0, 0);
        while (tree->model()->rowCount(leaf) > 0)
            leaf = tree->model()->index(0, 0, leaf);
        tree->model()->setData(leaf, Qt::Unchecked, Qt::CheckStateRole);
        QTRY_COMPARE(scene().shown.size(), size_t(1));
        tree->setCurrentIndex(leaf);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Delete);
        QCOMPARE(part<WorkspaceController>().reports().entries().size(), size_t(1));
        run("Close all reports");
        settle();
        QVERIFY(isInFront<StartPageController>());
    }

    void searchesNames()
    {
        open({m_folder->write("t/r0.json", traceText(0)), m_folder->write("t/r1.json", traceText(1))});
        QTest::keyClick(&view(), Qt::Key_Slash);
        QLineEdit* const field = part<TopStrip>().searchField();
        QTRY_VERIFY(field->hasFocus());
        QTest::keyClicks(field, "GEMM");
        settle();
        QTest::keyClick(field, Qt::Key_Return);
        const TimelineView& timeline = view();
        QTRY_VERIFY(timeline.viewState().slice().isValid());
        const SliceRef first = timeline.viewState().slice();
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(timeline.viewState().slice() != first);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTRY_COMPARE(timeline.viewState().slice(), first);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(field->text().isEmpty() && !field->hasFocus());
    }

    void runsCommandsByName()
    {
        QLineEdit* const field = part<TopStrip>().searchField();
        part<TopStrip>().startSearch(">");
        const test::LoopWatchdog::Collector slow; // Qt restyles every widget
        QTest::keyClicks(field, "larger");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_settings->fontScale(), 1.1);
    }

    // A desktop sends keys to the popup while it is open.
    void runsCommandsFromTheOpenPopup()
    {
        QLineEdit* const field = part<TopStrip>().searchField();
        part<TopStrip>().startSearch(">");
        const test::LoopWatchdog::Collector slow; // Qt restyles every widget
        QTest::keyClicks(field, "larger");
        QAbstractItemView* const popup = field->completer()->popup();
        QTRY_VERIFY(popup->isVisible());
        QTest::keyClick(popup, Qt::Key_Return);
        QCOMPARE(m_settings->fontScale(), 1.1);
        QVERIFY(field->text().isEmpty() && !popup->isVisible());
        part<TopStrip>().startSearch(">");
        QTest::keyClicks(field, "larger");
        QTRY_VERIFY(popup->isVisible());
        QTest::keyClick(popup, Qt::Key_Down); // selects the command, which then runs once
        QTest::keyClick(popup, Qt::Key_Return);
        QTRY_VERIFY(qFuzzyCompare(m_settings->fontScale(), 1.2));
        QTRY_VERIFY(field->text().isEmpty());
        part<TopStrip>().startSearch(">");
        QTRY_VERIFY(popup->isVisible());
        QTest::keyClick(popup, Qt::Key_Escape); // one press closes the popup and clears the field
        QVERIFY(field->text().isEmpty() && !popup->isVisible() && !field->hasFocus());
    }

    // From the first frame on, before any theme was chosen.
    void usesOneFont()
    {
        const QString family = QApplication::font().family();
        if (QFontDatabase::hasFamily("Inter")) QCOMPARE(family, QString("Inter"));
        QCOMPARE(m_window->menuBar()->font().family(), family);
        for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>())
            QCOMPARE(button->font().family(), family);
        for (const QLineEdit* field : m_window->findChildren<QLineEdit*>())
            QCOMPARE(field->font().family(), family);
    }

    void switchesTheme()
    {
        m_window->look().setThemeChoice(ThemeChoice::dark);
        QVERIFY(m_window->look().theme().isDark);
        const QColor corner = m_window->grab().toImage().pixelColor(2, m_window->height() - 3);
        QCOMPARE(corner, darkTheme().panel);
        m_window->look().setThemeChoice(ThemeChoice::light);
        QCOMPARE(m_window->grab().toImage().pixelColor(2, m_window->height() - 3), lightTheme().panel);
    }

    // Each widget is restyled only as often as necessary, however deeply nested.
    void restylesNoWidgetTooOften()
    {
        class Counter : public QObject {
          public:
            qsizetype count = 0;
            bool eventFilter(QObject*, QEvent* event) override
            {
                count += event->type() == QEvent::StyleChange;
                return false;
            }
        } counter;
        qApp->installEventFilter(&counter);
        m_window->look().setThemeChoice(ThemeChoice::dark);
        const qsizetype most = QApplication::allWidgets().size() * 21 / 10; // Qt itself requests a few twice
        QVERIFY2(counter.count > 0 && counter.count <= most,
                 qPrintable(QString("%1 where at most %2 was wanted").arg(counter.count).arg(most)));
        counter.count = 0;
        run("Larger text");
        QVERIFY(counter.count > 0 &&
                counter.count <= most + most / 10); // some widgets may request an icon for each size
    }

    void tabReachesEveryRegion()
    {
        m_window->open({m_folder->write("t/r0.json", traceText(0))});
        settle();
        view().setFocus();
        QSet<QString> names;
        for (int i = 0; i < 60; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            for (QWidget* at = QApplication::focusWidget(); at != nullptr; at = at->parentWidget()) {
                names << at->accessibleName();
            }
        }
        for (const char* name : {"Open reports", "Kernel summary", "Search names, lanes and commands"}) {
            QVERIFY2(names.contains(name), name);
        }
    }

    void remembersItsLayout()
    {
        run("Bottom panels");
        m_window->close();
        makeWindow();
        QVERIFY(!part<KernelPanel>().isVisible());
    }
};

LOCKSTEP_TEST(MainWindowTest, "main_window_test")
#include "main_window_test.moc"
