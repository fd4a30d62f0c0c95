// Logs beyond measure, and programs that do not listen: a line of 10 MB, a million lines, SIGTERM ignored.
#include <QElapsedTimer>

#include "core/remote/collector.h"
#include "core/session/launch_plan.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class RunLogTest : public QObject {
    Q_OBJECT

  private slots:
    void lineOfTenMegabytes()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.config().command = {"python3", "-c", "print('x' * 10_000_000); print('after')"};
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 0);
        qint64 shown = 0, cut = 0;
        QString all;
        for (const QJsonObject& line : process.linesWhere(lineOf("stdout", "node0"))) {
            all += line["text"].toString();
            cut += line["cut_bytes"].toInteger();
        }
        shown = all.size();
        QVERIFY(all.endsWith("after\n"));
        QCOMPARE(shown + cut, 10'000'001 + 6);
        QVERIFY(shown < 1'000'000);
        const auto log = site.node(0).home() / ".local/state/lockstep/agent-runs" /
                         process.runId().toStdString() / "node0/command-0/stdout.log";
        QCOMPARE(std::filesystem::file_size(log), uintmax_t(10'000'007));
    }

    void millionLines()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.config().command = {"python3", "-c",
                                 "import sys\nfor i in range(1_000_000): sys.stdout.write('line %d\\n' % i)"};
        QElapsedTimer timer;
        timer.start();
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 0);
        qsizetype lines = 0;
        qint64 next = 0;
        for (const QJsonObject& event : process.linesWhere(lineOf("stdout", "node0"))) {
            for (const QString& line : event["text"].toString().split('\n', Qt::SkipEmptyParts)) {
                if (line != QString("line %1").arg(next)) QFAIL(qPrintable("out of order: " + line));
                ++next;
                ++lines;
            }
        }
        QCOMPARE(lines, 1'000'000);
        qInfo("1,000,000 lines from host to standard output: %.1f s for the whole run",
              double(timer.elapsed()) / 1e3);
    }

    void sigtermIgnored()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((site.site().folder() / "state").string()));
        site.node(1).write("ignore_term", "");
        for (const size_t node : {size_t(0), size_t(1)})
            site.hold(node, 1);
        RunOptions options;
        options.ssh = site.site().options();
        const auto agent = findAgentProgram();
        QVERIFY(agent.has_value());
        options.agent = *agent;
        const auto plan = planLaunch(site.config(), {});
        QVERIFY(plan.has_value());
        auto created = Run::create(site.config(), *plan, {}, options);
        QVERIFY(created.has_value());
        Run& run = **created;
        run.begin();
        const auto bothStep = [&] { return run.hosts()[0].step == 1 && run.hosts()[1].step == 1; };
        QVERIFY(waitFor(bothStep));
        run.stop(1);
        QVERIFY(waitFor([&] { return run.state() == RunState::ended; }));
        QCOMPARE(run.hosts()[0].state, HostState::ended);
        QVERIFY(run.hosts()[0].problems.empty());
        QVERIFY(!run.hosts()[1].problems.empty());
        QCOMPARE(run.hosts()[1].problems.front().word, std::string("stop_ignored"));
        QVERIFY(site.node(1).processes("train.py").empty());
        // What it wrote before is there.
        CollectOptions wish;
        wish.folder = site.site().folder() / "collected";
        Collector collector(run, wish);
        bool isCollected = false;
        connect(&collector, &Collector::finished, this, [&] { isCollected = true; });
        collector.begin();
        QVERIFY(waitFor([&] { return isCollected; }));
        QCOMPARE(run.ledger().counts()[static_cast<size_t>(LedgerState::verified)], size_t(4));
    }
};

LOCKSTEP_TEST(RunLogTest, "run_log_test")
#include "run_log_test.moc"
