// SPDX-License-Identifier: Apache-2.0
// Tests Check hosts in a window: each row of a host shows its result, and Cancel shows nothing of the check.
#include <algorithm>
#include <fstream>

#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <sys/stat.h>

#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "tests/support/scripted_run.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/session/hosts_model.h"
#include "ui/session/session_page.h"

using namespace lockstep;

class HostCheckWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        m_scripted = std::make_unique<test::ScriptedRun>(2);
        m_scripted->config().workingFolder = "/w";
        for (size_t i = 0; i < 2; ++i)
            std::ofstream(m_scripted->host(i).folder() / "probe.json") << R"({"host": "h"})";
        makeWindow({.runOptions = [this]() -> Result<RunOptions> { return m_scripted->options(); }});
        session().draft().startNew(m_scripted->config());
        run("Session page");
        QTRY_VERIFY(hosts().isVisible());
    }
    void cleanup()
    {
        test::WindowFixture::cleanup();
        m_scripted.reset();
    }

    void rowsShowUnreachableHosts()
    {
        QCOMPARE(state(0), QString("not checked"));
        m_scripted->host(1).fail("node1 accepts none of your keys");
        QTest::mouseClick(&check(), Qt::LeftButton);
        QCOMPARE(state(0), QString("checking…"));
        QTRY_COMPARE(state(1), QString("unreachable"));
        QCOMPARE(state(0), QString("responded"));
        const auto cell = [this](int column, int role) {
            return hosts().model()->index(1, column).data(role).toString();
        };
        for (const int column : {int(HostsModel::name), int(HostsModel::check)})
            QVERIFY(cell(column, Qt::ToolTipRole).contains("accepts none of your keys"));
        const QString spoken = cell(HostsModel::check, Qt::AccessibleTextRole);
        QVERIFY2(spoken.startsWith("unreachable: ") && spoken.contains("accepts none"), qPrintable(spoken));
        QVERIFY((hosts().model()->flags(hosts().model()->index(1, HostsModel::check)) & Qt::ItemIsEditable) ==
                0);
        picture("hosts-unreachable");
        // The result is about the address that was queried.
        session().draft().edit("address", [](SessionConfig& config) { config.hosts[1].address = "node9"; });
        QCOMPARE(state(1), QString("not checked"));
        session().draft().undoStack().undo();
        QCOMPARE(state(1), QString("unreachable"));
    }

    void cancelShowsNothingOfTheCheck()
    {
        const auto pipe = m_scripted->host(1).folder() / "probe.json";
        std::filesystem::remove(pipe);
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0); // node1 never responds
        auto& cancel = part<QToolButton>("cancelCheck");
        QVERIFY(!cancel.isVisible());
        QSignalSpy arrived(&runs(), &RunController::hostsQueried);
        QSignalSpy refused(&runs(), &RunController::refused);
        QTest::mouseClick(&check(), Qt::LeftButton);
        QTRY_VERIFY(cancel.isVisible() && !check().isEnabled());
        QTRY_VERIFY(statusText().contains("1 of 2"));
        picture("hosts-checking");
        QTest::mouseClick(&cancel, Qt::LeftButton);
        QVERIFY(!cancel.isVisible() && check().isEnabled() && !runs().isBusy());
        QCOMPARE(state(0), QString("not checked"));
        QTest::qWait(100);
        QVERIFY(arrived.isEmpty() && refused.isEmpty());
        QVERIFY(session().draft().facts().empty());
        // The next check works.
        std::filesystem::remove(pipe);
        std::ofstream(pipe) << R"({"host": "h"})";
        QTest::mouseClick(&check(), Qt::LeftButton);
        QTRY_COMPARE(state(1), QString("responded"));
    }

    void cancelRefusesALaunch()
    {
        const auto pipe = m_scripted->host(1).folder() / "probe.json";
        std::filesystem::remove(pipe);
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QSignalSpy refused(&runs(), &RunController::refused);
        run("Launch session");
        QTRY_VERIFY(part<QToolButton>("cancelCheck").isVisible());
        QTest::mouseClick(&part<QToolButton>("cancelCheck"), Qt::LeftButton);
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused.front().front().toString().contains("nothing was started"));
        QVERIFY(runs().run() == nullptr);
    }

    void answersOfAnEarlierSessionDoNotFailThisOne()
    {
        std::ofstream(m_scripted->host(0).folder() / "probe.json")
            << R"({"host": "h", "paths": [{"path": "/w", "exists": false}]})";
        QTest::mouseClick(&check(), Qt::LeftButton);
        QTRY_COMPARE(state(0), QString("responded"));
        QVERIFY(hasFinding("/w does not exist on node0"));
        session().draft().edit("folder", [](SessionConfig& config) { config.workingFolder = "/other"; });
        QVERIFY(!hasFinding("/w does not exist"));
        QVERIFY(hasFinding("not checked yet on node0: /other"));
        SessionConfig fresh = m_scripted->config();
        fresh.workingFolder.clear();
        session().draft().startNew(fresh);
        QVERIFY(!hasFinding("/w"));
    }

  private:
    RunController& runs() { return page<RunPageController>().runs(); }
    SessionPage& session() { return page<SessionPageController>().page(); }
    QTableView& hosts() { return part<QTableView>("hosts"); }
    QToolButton& check() { return part<QToolButton>("checkHosts"); }
    QString state(int row) { return hosts().model()->index(row, HostsModel::check).data().toString(); }
    // Returns the texts of the labels of the page, which include the progress of the check.
    QString statusText()
    {
        QStringList texts;
        for (const QLabel* label : session().findChildren<QLabel*>())
            texts << label->text();
        return texts.join('\n');
    }
    bool hasFinding(std::string_view text)
    {
        return std::ranges::any_of(session().draft().findings(), [text](const Finding& finding) {
            return finding.reason.find(text) != std::string::npos;
        });
    }

    std::unique_ptr<test::ScriptedRun> m_scripted;
};

LOCKSTEP_TEST(HostCheckWindowTest, "host_check_window_test")
#include "host_check_window_test.moc"
