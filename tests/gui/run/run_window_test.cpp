// SPDX-License-Identifier: Apache-2.0
// Tests the window with a run: launched from the session over three real sshds, watched, collected, opened.
// Findings that prevent a launch stay on the session page. A run that was left running is offered again.
#include <fstream>
#include <sstream>

#include <QAction>
#include <QDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>

#include "app/window/known_runs.h"
#include "app/window/run_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "core/session/session_yaml.h"
#include "tests/support/run_site.h"
#include "tests/support/scripted_run.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/reports_panel.h"
#include "ui/run/hosts_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"

using namespace lockstep;

class RunWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void launchesThreeNodesAndOpensTheirReports()
    {
        test::RunSite site({"node a", "nodeb", "nodec"});
        LOCKSTEP_NEED_SITE(site);
        for (const QString& name : site.site().environment().keys()) {
            if (name.startsWith("LOCKSTEP_"))
                qputenv(qPrintable(name), site.site().environment().value(name).toUtf8());
        }
        test::TempDir state;
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString(state.path().string()));
        showWindow({});
        part<SessionPage>().draft().startNew(site.config());
        site.hold(1, 1);
        run("Launch session");
        QTRY_VERIFY(isInFront<RunPageController>());
        QCOMPARE(part<SessionPage>().draft().facts().size(), size_t(3));
        Run* const run = runs().run();
        QVERIFY(run != nullptr);
        QTRY_VERIFY(run->hosts()[1].step == 1 && run->hosts()[0].state == HostState::ended);
        QVERIFY(part<RunPage>().log()->view()->rowCount() > 0);
        const QTreeView& hosts = *part<HostsCard>().table();
        for (int column = 0; column < hosts.header()->count(); ++column) {
            const QString head = hosts.model()->headerData(column, Qt::Horizontal).toString();
            QVERIFY2(hosts.columnWidth(column) >= QFontMetrics(hosts.font()).horizontalAdvance(head),
                     qPrintable(head));
        }
        QCOMPARE(hosts.header()->length(), hosts.viewport()->width());
        picture("window-watched");
        site.release(1, 1);
        QTRY_COMPARE(run->state(), RunState::ended);
        QTRY_COMPARE(scene().shown.size(), size_t(15));
        settle();
        QVERIFY(isInFront<RunPageController>());
        test::run(*m_window, "Timeline page");
        QCOMPARE(part<ReportsPanel>().foot(), QString("12 of 12 reports collected"));
        QCOMPARE(run->ledger().counts()[static_cast<size_t>(LedgerState::verified)], size_t(12));
        picture("window-opened");
        test::run(*m_window, "Run page");
        picture("window-ended");
        QVERIFY(listKnownRuns().front().isOver);
    }

    void showsLaunchErrorsOnTheSessionPage()
    {
        test::ScriptedRun scripted(1);
        showWindow([&scripted]() -> Result<RunOptions> { return scripted.options(); });
        scripted.host(0).fail("node0 accepts none of your keys");
        part<SessionPage>().draft().startNew(scripted.config());
        run("Launch session");
        QSignalSpy refused(&runs(), &RunController::refused);
        QTRY_VERIFY(!refused.isEmpty());
        QVERIFY(isInFront<SessionPageController>());
        QVERIFY(refused.front().front().toString().contains("accepts none of your keys"));
        QPushButton* help = nullptr;
        for (QPushButton* const button : part<SessionPage>().findChildren<QPushButton*>())
            help = button->text() == "Help on this" ? button : help;
        QVERIFY(help != nullptr && help->isVisible());
        QSignalSpy asked(&part<SessionPage>(), &SessionPage::helpRequested);
        QTest::mouseClick(help, Qt::LeftButton);
        QCOMPARE(asked.front().front().toString(), QString("ssh#A host does not respond"));
        QVERIFY(runs().run() == nullptr);
        QVERIFY(listKnownRuns().empty());
    }

    void promptsForSecretsAndWritesThemNowhere()
    {
        qunsetenv("HF_TOKEN");
        test::ScriptedRun scripted(1);
        std::ofstream(scripted.host(0).folder() / "probe.json") << R"({"host": "h"})";
        scripted.config().environment = {{"HF_TOKEN", "$HF_TOKEN"}};
        showWindow([&scripted]() -> Result<RunOptions> { return scripted.options(); });
        part<SessionPage>().draft().startNew(scripted.config());
        runs().launch(part<SessionPage>().draft().config(), true);
        auto* const dialog = m_window->findChild<QDialog*>("secrets");
        QVERIFY(dialog != nullptr);
        auto* const field = dialog->findChild<QLineEdit*>("HF_TOKEN");
        QVERIFY(field != nullptr && field->echoMode() == QLineEdit::Password);
        field->setText("typed-4711");
        dialog->accept();
        QTRY_VERIFY(runs().run() != nullptr);
        // The host's standard input begins with the value; nothing else contains it.
        const auto told = [&scripted] {
            std::ostringstream text;
            text << std::ifstream(scripted.host(0).folder() / "plan.json").rdbuf();
            return text.str();
        };
        const std::string hex = QByteArray("typed-4711").toHex().toStdString();
        QTRY_VERIFY(told().starts_with("{\"HF_TOKEN\":\"" + hex + "\"}\n"));
        for (const auto& entry : std::filesystem::recursive_directory_iterator(runsFolder())) {
            std::ostringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            QVERIFY(text.str().find("typed-4711") == std::string::npos &&
                    text.str().find(hex) == std::string::npos);
        }
        // The question appears once per window.
        QSignalSpy wanted(&runs(), &RunController::secretsRequired);
        runs().stopWatching();
        runs().launch(part<SessionPage>().draft().config(), true);
        QCOMPARE(wanted.count(), 0);
        QTRY_VERIFY(runs().run() != nullptr); // it uses `scripted`, which is destroyed now
    }

    void offersAContinuingRun()
    {
        test::ScriptedRun scripted(1);
        QVERIFY(scripted.create().empty());
        scripted.host(0).tell("started", 1, R"("pid":1,"commands":1)");
        scripted.run().begin();
        QTRY_COMPARE(scripted.run().state(), RunState::running);
        const QString id = QString::fromStdString(scripted.run().record().id);
        scripted.run().detach();
        QVERIFY(!isRunOver(scripted.run().record()));
        showWindow([&scripted]() -> Result<RunOptions> { return scripted.options(); });
        QTRY_VERIFY(part<NoticeBar>().text().contains("was running on 1 host when last seen at"));
        for (QAbstractButton* button : part<NoticeBar>().findChildren<QAbstractButton*>()) {
            if (button->text() == "Attach") button->click();
        }
        QTRY_VERIFY(runs().run() != nullptr);
        QVERIFY(isInFront<RunPageController>());
        QCOMPARE(QString::fromStdString(runs().run()->record().id), id);
        scripted.host(0).tell("stdout", 2, R"("command":0,"text":"after the window came back\n")");
        QTRY_VERIFY(part<RunPage>()
                        .log()
                        ->view()
                        ->textToCopy(LogFormat::plain)
                        .contains("after the window came back"));
    }

    void reportsAnEndOnce()
    {
        test::ScriptedRun scripted(1);
        QVERIFY(scripted.create().empty());
        scripted.host(0).tell("started", 1, R"("pid":1,"commands":1)");
        scripted.run().begin();
        QTRY_COMPARE(scripted.run().state(), RunState::running);
        scripted.run().detach();
        showWindow([&scripted]() -> Result<RunOptions> { return scripted.options(); });
        QSignalSpy ends(&runs(), &RunController::runEnded);
        const QString id = QString::fromStdString(scripted.run().record().id);
        const auto* const stop = m_window->findChild<QAction*>(QStringLiteral("Stop run\u2026"));
        QVERIFY(stop != nullptr && !stop->isEnabled());
        QVERIFY(stop->toolTip().startsWith("No run is being watched."));
        runs().attach(id);
        QTRY_VERIFY(stop->isEnabled());
        scripted.host(0).tell("exit", 2, R"("run":true,"code":0)");
        QTRY_COMPARE(ends.count(), 1);
        QCOMPARE(stop->toolTip(), QString("The run has ended."));
        QVERIFY(ends.front().front().toBool()); // with a notification
        runs().stopWatching();
        runs().attach(id);
        QTRY_VERIFY(runs().run() != nullptr && runs().run()->state() == RunState::ended);
        QTRY_COMPARE(ends.count(), 2);
        QVERIFY(!ends.back().front().toBool()); // it had ended before
    }

  private:
    RunController& runs() { return page<RunPageController>().runs(); }
    void showWindow(const RunController::MakeOptions& options)
    {
        makeWindow({.size = {1600, 1000}, .runOptions = options});
    }
};

LOCKSTEP_TEST(RunWindowTest, "run_window_test")
#include "run_window_test.moc"
