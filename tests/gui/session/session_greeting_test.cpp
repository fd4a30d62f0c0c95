// SPDX-License-Identifier: Apache-2.0
// Tests a session in which nothing is configured yet: it opens without errors, and the next action is
// mentioned once. The wheel over its table of roles scrolls the page.
#include <QLabel>
#include <QLineEdit>
#include <QWheelEvent>

#include "tests/support/session_page_fixture.h"
#include "tests/support/test_registry.h"
#include "ui/session/preview_sections.h"
#include "ui/session/role_matrix_model.h"
#include "ui/session/role_matrix_view.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"

using namespace lockstep;

class SessionGreetingTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void missingValuesAreMentionedOnceAndAreNotErrors()
    {
        int told = m_page->plan()->shownText().contains("no command given") ? 1 : 0;
        for (const QLabel* const label : m_page->findChildren<QLabel*>()) {
            if (!label->isVisible()) continue;
            QVERIFY2(label->property("tone") != "bad" && label->property("tone") != "warn",
                     qPrintable(label->text()));
            told += label->text().contains("no command given") ? 1 : 0;
        }
        QCOMPARE(told, 1);
    }

    // A missing tool may be intentional, whether or not there is a command.
    void otherwiseCompleteSessionHasAWarning()
    {
        auto* const command = m_page->findChild<QLineEdit*>("command");
        QVERIFY(command != nullptr);
        command->setFocus();
        QTest::keyClicks(command, "python3 train.py");
        const auto labels = m_page->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->isVisible() && label->property("tone") == "warn" &&
                   label->text().contains("no tool selected;");
        }));
        QVERIFY(m_page->plan()->shownText().contains("python3 train.py"));
    }

    // A mistake is still reported, at its field and among the findings.
    void mistakeIsReported()
    {
        auto* const command = m_page->findChild<QLineEdit*>("command");
        command->setFocus();
        QTest::keyClicks(command, "nsys profile python3 train.py");
        QVERIFY(m_page->draft().setField("tool", ConfigValue::fromText("nsys")));
        const auto told = [this] {
            const auto labels = m_page->findChildren<QLabel*>();
            return std::ranges::count_if(labels, [](const QLabel* label) {
                return label->isVisible() && label->property("tone") == "bad";
            });
        };
        QTRY_COMPARE(told(), 2); // "stops" in the list, the reason below the field
    }

    // The table has no rows out of sight, so the wheel leaves what is under the cursor in place.
    void wheelDoesNotScrollTheMatrix()
    {
        QVERIFY(m_page->draft().setField("framework", ConfigValue::fromText("verl")));
        RoleMatrixView* const matrix = m_page->recorded()->matrix();
        QTRY_VERIFY(matrix->isVisible());
        const QModelIndex cell = matrix->model()->index(1, RoleMatrixModel::on);
        const QRect before = matrix->visualRect(cell);
        for (const int step : {-120, -120, 120}) {
            QWheelEvent turn(before.center(), matrix->viewport()->mapToGlobal(before.center()), {}, {0, step},
                             Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(matrix->viewport(), &turn);
            QCOMPARE(matrix->visualRect(cell), before);
            QVERIFY(!turn.isAccepted());
        }
    }

  private:
};

LOCKSTEP_TEST(SessionGreetingTest, "session_greeting_test")
#include "session_greeting_test.moc"
