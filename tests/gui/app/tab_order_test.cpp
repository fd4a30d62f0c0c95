// SPDX-License-Identifier: Apache-2.0
// Tests that Tab alone moves the focus to every region of the window and back to the start. Each stop has a
// name and shows that it has the focus.
#include <QAccessible>
#include <QTabBar>
#include <QTreeView>

#include "app/window/focus_ring.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/lane_order_button.h"
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

class TabOrderTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        openTraces(2);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void tabReachesEveryRegionAndReturns()
    {
        auto& timeline = view();
        timeline.setFocus();
        const QList<QWidget*> stops = stopsFrom(timeline);
        QVERIFY2(!stops.isEmpty(), "Tab never returns to the timeline");
        const auto comesInto = [&](const QWidget& region) {
            return std::ranges::any_of(
                stops, [&](const QWidget* stop) { return stop == &region || region.isAncestorOf(stop); });
        };
        QVERIFY(comesInto(part<LaneOrderButton>()));
        QVERIFY(comesInto(part<ReportsPanel>()));
        QVERIFY(comesInto(part<TopStrip>()));
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
        auto& timeline = view();
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
        QVERIFY(panels.contains(&part<ReportsPanel>()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(panel(), panels[1]);
    }

    void everyStopHasANameAndShowsTheFocus()
    {
        auto& timeline = view();
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
        QVERIFY(part<FocusRing>().isVisible());
        part<ReportsPanel>().tree()->setFocus(Qt::MouseFocusReason);
        QVERIFY(!part<FocusRing>().isVisible());
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
};

LOCKSTEP_TEST(TabOrderTest, "tab_order_test")
#include "tab_order_test.moc"
