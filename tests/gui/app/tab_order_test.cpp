// SPDX-License-Identifier: Apache-2.0
// Tests that Tab alone moves the focus to every region of the window and back to the start. Each stop has a
// name and shows that it has the focus.
#include <QAccessible>
#include <QTabBar>
#include <QTreeView>

#include "app/window/focus_ring.h"
#include "tests/support/in_window.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/panel.h"

using namespace lockstep;

namespace {

QString nameOf(const QWidget& widget)
{
    QString path;
    for (const QWidget* at = &widget; at != nullptr && path.size() < 150; at = at->parentWidget())
        path += QString(path.isEmpty() ? "" : " < ") + at->metaObject()->className() +
                (at->objectName().isEmpty() ? "" : "#" + at->objectName());
    return path;
}

} // namespace

class TabOrderTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = test::shownWindow(*m_settings);
        m_window->open({m_folder->write("t/r0.json", test::smallTrace(0)),
                        m_folder->write("t/r1.json", test::smallTrace(1))});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void cleanup() { m_window.reset(); }

    void tabReachesEveryRegionAndReturns()
    {
        auto& timeline = test::part<TimelineView>(*m_window);
        timeline.setFocus();
        const QList<QWidget*> stops = stopsFrom(timeline);
        QVERIFY2(!stops.isEmpty(), "Tab never returns to the timeline");
        const auto comesInto = [&](const QWidget& region) {
            return std::ranges::any_of(
                stops, [&](const QWidget* stop) { return stop == &region || region.isAncestorOf(stop); });
        };
        QVERIFY(comesInto(test::part<LaneOrderButton>(*m_window)));
        QVERIFY(comesInto(test::part<ReportsPanel>(*m_window)));
        QVERIFY(comesInto(test::part<TopStrip>(*m_window)));
        const auto isTabBar = [](const QWidget* stop) {
            return qobject_cast<const QTabBar*>(stop) != nullptr;
        };
        QVERIFY(std::ranges::any_of(stops, isTabBar)); // of the docks: arrow keys choose among the tabs
        // Backwards in the same order.
        timeline.setFocus();
        QList<QWidget*> back;
        do {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
            back.prepend(QApplication::focusWidget());
        } while (QApplication::focusWidget() != &timeline && back.size() < 200);
        QCOMPARE(back.size(), stops.size());
    }

    void f6GoesThroughThePanels()
    {
        auto& timeline = test::part<TimelineView>(*m_window);
        timeline.setFocus();
        const auto panel = []() -> const Panel* {
            for (const QWidget* at = QApplication::focusWidget(); at != nullptr; at = at->parentWidget()) {
                if (const auto* const found = qobject_cast<const Panel*>(at)) return found;
            }
            return nullptr;
        };
        QList<const Panel*> panels;
        do {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
            QVERIFY(QApplication::focusWidget() != nullptr);
            panels << panel();
        } while (panels.back() != nullptr && panels.size() < 20);
        QVERIFY(timeline.hasFocus());
        QCOMPARE(panels.size(), 3); // Reports, the front panel at the bottom, and the timeline
        QVERIFY(panels.contains(&test::part<ReportsPanel>(*m_window)));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(panel(), panels[1]);
    }

    void everyStopHasANameAndShowsTheFocus()
    {
        auto& timeline = test::part<TimelineView>(*m_window);
        timeline.setFocus();
        QStringList nameless, unseen;
        for (QWidget* const stop : stopsFrom(timeline)) {
            const QAccessibleInterface* const told = QAccessible::queryAccessibleInterface(stop);
            if (told == nullptr || told->text(QAccessible::Name).isEmpty()) nameless << nameOf(*stop);
        }
        QWidget* last = nullptr;
        QImage with;
        for (int i = 0; i < 200 && (i == 0 || last != &timeline); ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            if (last != nullptr && pictureOf(*last) == with) unseen << nameOf(*last);
            last = QApplication::focusWidget();
            with = pictureOf(*last);
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join('\n')));
        // A click shows no focus ring.
        QVERIFY(test::part<FocusRing>(*m_window).isVisible());
        test::part<ReportsPanel>(*m_window).tree()->setFocus(Qt::MouseFocusReason);
        QVERIFY(!test::part<FocusRing>(*m_window).isVisible());
    }

  private:
    // Presses Tab up to the starting point. Returns an empty list if the focus never returns there.
    QList<QWidget*> stopsFrom(const QWidget& first)
    {
        QList<QWidget*> stops;
        do {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            if (QApplication::focusWidget() == nullptr || stops.size() > 60) {
                QStringList names;
                for (const QWidget* const stop : stops)
                    names << nameOf(*stop);
                qWarning("%s", qPrintable(names.join('\n')));
                return {};
            }
            stops << QApplication::focusWidget();
        } while (stops.back() != &first);
        return stops;
    }
    // Includes a margin around the widget, because some frame their contents.
    QImage pictureOf(QWidget& widget)
    {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const QRect place(widget.mapTo(m_window.get(), QPoint(0, 0)), widget.size());
        return m_window->grab(place.adjusted(-3, -3, 3, 3)).toImage();
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(TabOrderTest, "tab_order_test")
#include "tab_order_test.moc"
