// SPDX-License-Identifier: Apache-2.0
// Tests the Session page's lines for Lockstep's own capture: they appear with the tool, errors appear at
// their fields, and the plan exports the chosen values.
#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>

#include "core/session/launch_plan.h"
#include "core/session/session_yaml.h"
#include "tests/support/session_page_fixture.h"
#include "tests/support/test_registry.h"
#include "ui/session/field_message.h"
#include "ui/session/preview_sections.h"
#include "ui/session/session_draft.h"

using namespace lockstep;

class CaptureFormTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void linesAppearWithTheTool()
    {
        QVERIFY(!edit("capture.range")->isVisible());
        QVERIFY(chooseFramework("torchrun"));
        QVERIFY(click("tool=capture"));
        for (const char* path :
             {"steps", "save_path", "capture.range", "capture.ranks", "capture.role", "capture.library"})
            QVERIFY2(edit(path)->isVisible(), path);
        QVERIFY(
            !button("capture.steps_are=names")->isEnabled()); // without steps there is nothing to identify
        write("steps", "2");
        QTRY_VERIFY(button("capture.steps_are=names")->isEnabled());
        QVERIFY(chooseFramework("verl"));
        QVERIFY(edit("capture.ranks")->placeholderText().contains("the ranks of the roles"));
        QVERIFY(edit("capture.range")->isVisible());
        QVERIFY(click("tool=nsys"));
        QTRY_VERIFY(!edit("capture.range")->isVisible());
    }

    void hostClocks()
    {
        const auto start = [this](const char* hosts) {
            auto config = sessionFromYaml(
                std::string("framework: torchrun\ncommand: [train.py]\nlauncher: {kind: ssh}\nhosts: ") +
                hosts);
            m_page->draft().startNew(*config);
        };
        start("[{name: node0}]");
        QTRY_VERIFY(!button("clock_exchange=off")->isEnabled()); // no other host to compare with
        start("[{name: node0}, {name: node1}]");
        QTRY_VERIFY(button("clock_exchange=off")->isEnabled());
        const auto compares = [this] {
            return planLaunch(m_page->draft().config(), {})->hosts.front().exchangesClocks;
        };
        QVERIFY(compares());
        QVERIFY(click("clock_exchange=off"));
        QVERIFY(m_page->draft().config().clockExchange == ClockExchangeUse::off);
        QVERIFY(!compares());
        QVERIFY(click("clock_exchange=on"));
        QVERIFY(compares());
    }

    void errorsAppearAtTheirLine()
    {
        QVERIFY(chooseFramework("torchrun"));
        QVERIFY(click("tool=capture"));
        write("command", "train.py");
        write("capture.range", "nvtx:");
        QTRY_VERIFY(shownMessages().contains("is not a valid capture range"));
        write("capture.range", "all");
        QTRY_VERIFY(!shownMessages().contains("is not a valid capture range"));
        write("capture.ranks", "0, two");
        QTRY_VERIFY(!shownMessages().isEmpty());
        write("capture.library", "lib.so");
        QTRY_VERIFY(shownMessages().contains("is not an absolute path"));
    }

    void planHasTheChosenValues()
    {
        QVERIFY(chooseFramework("torchrun"));
        QVERIFY(click("tool=capture"));
        write("command", "train.py");
        write("steps", "2, 4-5");
        write("save_path", "/tmp/profile");
        write("capture.range", "all");
        write("capture.ranks", "0, 8");
        write("capture.role", "actor");
        for (const char* one : {"discrete=true", "capture.steps_are=names", "capture.cuda=false",
                                "capture.when_full=block", "capture.graph_trace=graph"})
            QVERIFY2(click(one), one);
        const auto wanted = sessionFromYaml(
            "framework: torchrun\ncommand: [train.py]\ntool: capture\nsteps: [2, 4, 5]\ndiscrete: true\n"
            "save_path: /tmp/profile\ncapture: {range: all, steps_are: names, ranks: [0, 8], role: "
            "actor, when_full: block, cuda: false, graph_trace: graph}\n");
        QVERIFY(wanted.has_value());
        QCOMPARE(canonicalYaml(m_page->draft().config()), canonicalYaml(*wanted));
        const QString plan = m_page->plan()->shownText();
        QVERIFY(plan.contains("LOCKSTEP_CAPTURE_WHEN_FULL=block"));
        QVERIFY(plan.contains("LOCKSTEP_CAPTURE_GRAPH_TRACE=graph"));
        QVERIFY(plan.contains("LOCKSTEP_RANKS=0,8"));
        QVERIFY(plan.contains(": copy liblockstep_capture.so to "));
        QVERIFY(!plan.contains("CUDA_INJECTION64_PATH"));
    }

  private:
    QLineEdit* edit(const char* path) const
    {
        auto* const found = m_page->findChild<QLineEdit*>(path);
        if (found == nullptr) qFatal("no line edits %s", path);
        return found;
    }
    QAbstractButton* button(const char* name) const
    {
        auto* const found = m_page->findChild<QAbstractButton*>(name);
        if (found == nullptr) qFatal("no button is %s", name);
        return found;
    }
    bool click(const char* name)
    {
        if (!test::waitUntil([&] { return button(name)->isVisible(); })) return false;
        button(name)->click();
        return true;
    }
    void write(const char* path, const char* text)
    {
        edit(path)->setFocus();
        edit(path)->selectAll();
        QTest::keyClicks(edit(path), text);
        QTest::keyClick(edit(path), Qt::Key_Return);
    }
    // Returns all messages at the fields.
    QString shownMessages() const
    {
        QStringList texts;
        for (const FieldMessage* message : m_page->findChildren<FieldMessage*>()) {
            if (message->isVisible()) texts << message->text();
        }
        return texts.join('\n');
    }

  private:
    bool chooseFramework(const char* label)
    {
        auto* const combo = m_page->findChild<QComboBox*>("framework");
        const int index = combo == nullptr ? -1 : combo->findText(label);
        if (index < 0) return false;
        combo->setCurrentIndex(index);
        QCoreApplication::sendPostedEvents();
        return true;
    }
};

LOCKSTEP_TEST(CaptureFormTest, "capture_form_test")
#include "capture_form_test.moc"
