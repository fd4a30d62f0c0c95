// SPDX-License-Identifier: Apache-2.0
// Tests that a tooltip shows its text literally, whatever it looks like.
#include "ui/window/plain_tool_tips.h"

#include <QApplication>
#include <QLabel>
#include <QTest>
#include <QToolTip>
#include <QWidget>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

QLabel* shownTip()
{
    for (QWidget* const widget : QApplication::topLevelWidgets()) {
        if (widget->inherits("QTipLabel") && widget->isVisible()) return static_cast<QLabel*>(widget);
    }
    return nullptr;
}

} // namespace

class PlainToolTipsTest : public QObject {
    Q_OBJECT

  private slots:
    void namesAreNotMarkup()
    {
        QWidget widget;
        new PlainToolTips(&widget);
        widget.setToolTip("first");
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget));
        for (const char* name :
             {"<script>alert(1)</script>", "<img src=\"http://evil.example/p.png\">", "<b>bold</b>\nx"}) {
            QToolTip::showText(widget.mapToGlobal(QPoint(1, 1)), name, &widget);
            QTRY_VERIFY(shownTip() != nullptr && shownTip()->text() == name);
            QCOMPARE(shownTip()->textFormat(), Qt::PlainText);
        }
        QToolTip::hideText();
        QTRY_VERIFY(shownTip() == nullptr);
    }
};

LOCKSTEP_TEST(PlainToolTipsTest, "plain_tool_tips_test")
#include "plain_tool_tips_test.moc"
