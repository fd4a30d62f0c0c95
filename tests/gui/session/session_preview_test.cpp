// SPDX-License-Identifier: Apache-2.0
// Tests what surrounds the form of the Session page: copies of the plan, the forecast of an unknown number of
// reports, the state of each host, and what a check of the hosts writes.
#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include "tests/support/part.h"
#include "tests/support/session_page_fixture.h"
#include "tests/support/test_registry.h"
#include "ui/session/hosts_model.h"
#include "ui/session/preview_sections.h"

using namespace lockstep;

class SessionPreviewTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void copiesThePlanOfAllHostsOrOne()
    {
        m_page->draft().edit("hosts", [](SessionConfig& config) {
            config.framework = Framework::torchrun;
            config.launcher.kind = LauncherKind::ssh;
            config.command = {"train.py"};
            config.hosts.resize(2);
            config.hosts[0].name = "a";
            config.hosts[1].name = "b & c";
        });
        auto& copy = test::part<QToolButton>(*m_page, "copyPlan");
        QTest::mouseClick(&copy, Qt::LeftButton, {}, QPoint(8, copy.height() / 2));
        const std::string all = planText(*m_page->draft().plan());
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), all);
        QVERIFY(
            hasLabel(QString("Copied the plan for 2 hosts (%1 lines)").arg(std::ranges::count(all, '\n'))));
        emit copy.menu()->aboutToShow();
        QStringList entries;
        for (const QAction* action : copy.menu()->actions())
            entries << action->text();
        QCOMPARE(entries, (QStringList{"Plan for all hosts", "", "Plan for a", "Plan for b && c"}));
        copy.menu()->actions().back()->trigger();
        const std::string one = planText(m_page->draft().plan()->hosts[1]);
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), one);
        QVERIFY(hasLabel(QString("Copied the plan for b & c (%1 lines)").arg(std::ranges::count(one, '\n'))));
        m_page->plan()->hosts()->setCurrentIndex(1);
        QCOMPARE(m_page->plan()->shownText().toStdString(), one);
        m_page->draft().edit("command", [](SessionConfig& config) { config.command = {"other.py"}; });
        QVERIFY(!hasLabel("Copied the plan"));
    }

    // What a dry run recorded decides about plan and forecast, as long as the script runs in the same way.
    void dryRunCompletesThePlan()
    {
        const auto names = enumNames(Framework{});
        m_page->draft().edit("script", [&](SessionConfig& config) {
            config.framework = static_cast<Framework>(std::ranges::find(names, "slime") - names.begin());
            config.script = "run.sh";
            config.tool = Tool::torch;
            config.steps = {2};
            config.savePath = "/traces";
        });
        auto& dryRun = test::part<QToolButton>(*m_page, "dryRun");
        QVERIFY(!dryRun.isHidden() && dryRun.isEnabled());
        const auto isKnown = [this] {
            const auto& files = m_page->draft().expectedFiles();
            return files.size() == 1 && files[0].isCountKnown();
        };
        QVERIFY(!isKnown());
        m_page->draft().applyLaunches(
            {{"localhost",
              "slime",
              "",
              {"python3", "train.py", "--actor-num-nodes", "1", "--actor-num-gpus-per-node", "4"},
              {},
              {}}});
        QVERIFY(isKnown());
        QCOMPARE(m_page->draft().expectedFiles()[0].ranks.size(), size_t(4));
        QVERIFY(m_page->plan()->shownText().contains("the script starts"));
        QVERIFY(m_page->plan()->shownText().contains("--profile-step-start 2"));
        m_page->draft().edit("steps", [](SessionConfig& config) { config.steps = {5}; });
        QVERIFY(
            m_page->plan()->shownText().contains("--profile-step-start 5")); // the additions follow the form
        m_page->draft().edit("args", [](SessionConfig& config) { config.scriptArguments = {"x"}; });
        QVERIFY(!isKnown());
        m_page->draft().edit("script", [](SessionConfig& config) {
            config.script.clear();
            config.scriptArguments.clear();
        });
        QVERIFY(dryRun.isHidden());
    }

    void unknownIsNotZero()
    {
        m_page->draft().edit("tool", [](SessionConfig& config) {
            config.framework = Framework::plain;
            config.command = {"./train"};
            config.tool = Tool::torch;
            config.savePath = "/s";
        });
        QVERIFY(hasLabel("number of files unknown"));
        QCOMPARE(test::part<QLabel>(*m_page, "unknownFiles").text(),
                 QString("Number of files unknown: the program itself decides how many traces it writes"));
        for (const char* wrong : {"files: 0", "0 B", "?"})
            QVERIFY2(!hasForecastLabel(wrong), wrong);
        picture("forecast-unknown");
        m_page->draft().edit("verl", [](SessionConfig& config) {
            config.framework = *enumFromWord<Framework>("verl");
            config.steps = {2};
            config.role(Role::actor).enable = true;
            config.role(Role::actor).allRanks = true;
            config.role(Role::critic).enable = true;
            config.role(Role::critic).ranks = {0, 1};
            config.torch.discrete = true; // otherwise, both roles share their reports
        });
        QVERIFY(hasForecastLabel("files: at least 2, at least about "));
        picture("forecast-partial");
    }

    void rowsShowTheResultOfTheCheck()
    {
        startOnTwoHosts();
        QCOMPARE(state(0), QString("not checked"));
        m_page->setWaiting("Querying 2 hosts");
        QCOMPARE(state(0), QString("checking…"));
        QVERIFY(test::part<QToolButton>(*m_page, "cancelCheck").isVisible());
        picture("hosts-checking");
        m_page->setWaiting({});
        QVERIFY(!test::part<QToolButton>(*m_page, "cancelCheck").isVisible());
        HostFacts facts;
        facts.host = "node0";
        facts.query = HostQuery{"node0", {}, {}};
        m_page->draft().applyFacts({facts});
        m_page->draft().applyUnreachable({{"node1", "me@node1", "nothing listens on its port"}});
        QCOMPARE(state(0), QString("responded"));
        QCOMPARE(state(1), QString("unreachable"));
        const auto cell = [this](int column, int role) {
            return hosts().model()->index(1, column).data(role).toString();
        };
        for (const int column : {int(HostsModel::name), int(HostsModel::check)})
            QCOMPARE(cell(column, Qt::ToolTipRole), QString("nothing listens on its port"));
        QCOMPARE(cell(HostsModel::check, Qt::AccessibleTextRole),
                 QString("unreachable: nothing listens on its port"));
        picture("hosts-unreachable");
        m_page->draft().edit("address", [](SessionConfig& config) { config.hosts[1].address = "node9"; });
        QCOMPARE(state(1), QString("not checked"));
    }

    void statesWhatTheCheckWrites()
    {
        startOnTwoHosts();
        const auto writes = [this] { return test::part<QLabel>(*m_page, "writes").text(); };
        const auto& check = test::part<QToolButton>(*m_page, "checkHosts");
        QVERIFY2(writes().contains("copy lockstep-agent to ~/.cache/lockstep"), qPrintable(writes()));
        m_page->setInstalledSizes(8'800'000, 1'500'000);
        QVERIFY2(writes().contains("lockstep-agent (8.39 MiB)"), qPrintable(writes()));
        QVERIFY(check.toolTip().contains(writes()));
        QVERIFY(!writes().contains("liblockstep_capture.so"));
        m_page->draft().edit("tool", [](SessionConfig& config) { config.tool = Tool::capture; });
        QVERIFY2(writes().contains("liblockstep_capture.so (1.43 MiB)"), qPrintable(writes()));
        m_page->draft().edit("folder",
                             [](SessionConfig& config) { config.launcher.agentFolder = "/scratch"; });
        QVERIFY2(!writes().contains(".cache") && writes().contains("agent folder"), qPrintable(writes()));
    }

  private:
    void startOnTwoHosts()
    {
        SessionConfig config;
        config.framework = Framework::torchrun;
        config.launcher.kind = LauncherKind::ssh;
        config.command = {"train.py"};
        config.tool = Tool::nsys;
        config.hosts.resize(2);
        config.hosts[0].name = "node0";
        config.hosts[1].name = "node1";
        config.hosts[1].address = "me@node1";
        m_page->draft().startNew(config);
    }
    QTableView& hosts() { return test::part<QTableView>(*m_page, "hosts"); }
    QString state(int row) { return hosts().model()->index(row, HostsModel::check).data().toString(); }
    // Saves a picture of the page for inspection, if $LOCKSTEP_PICTURES names a folder.
    void picture(const QString& name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) QVERIFY(m_page->grab().save(folder + '/' + name + ".png"));
    }
    bool hasLabel(const QString& text) { return hasLabelBelow(*m_page, text); }
    bool hasForecastLabel(const QString& text)
    {
        return hasLabelBelow(test::part<ForecastSection>(*m_page, "forecast"), text);
    }
    static bool hasLabelBelow(const QWidget& widget, const QString& text)
    {
        const auto labels = widget.findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
    }
};

LOCKSTEP_TEST(SessionPreviewTest, "session_preview_test")
#include "session_preview_test.moc"
