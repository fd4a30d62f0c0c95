// SPDX-License-Identifier: Apache-2.0
// Tests extreme logs and programs that do not react: a line of 10 MB, a million lines, SIGTERM ignored.
#include <QElapsedTimer>

#include "core/remote/collector.h"
#include "core/session/launch_plan.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// A title, a cleared screen, the clipboard, colors and direction marks, and a report with such a name.
constexpr std::string_view kActing = R"py(
import os, sys
os.makedirs("reports")
open("reports/\x1b]0;named\x07\u202e.json", "w").write('{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]}')
sys.stdout.write("\x1b]0;title\x07\x1b[2J\x1b[Hafter\u009b2J\u202e\n\x1b]52;c;eA==\x07\rover\n")
sys.stderr.write("\x1b[31mred\x1b[0m \x1bP+q\x1b\\\n")
sys.exit(3))py";

} // namespace

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

    // Control sequences in a program's output or in its file names have no effect, on a terminal or in a
    // file.
    void controlSequencesHaveNoEffect()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.config().command = {"python3", "-c", std::string(kActing)};
        const auto session = site.site().folder() / "session.yaml";
        QVERIFY(saveSession(site.config(), session).has_value());
        const QStringList words{builtProgram("lockstep"), "--run", QString::fromStdString(session.string()),
                                "-o", QString::fromStdString(site.workspace().string())};
        for (const bool isTerminal : {true, false}) {
            QProcess process;
            process.setProcessEnvironment(site.site().environment());
            process.setProcessChannelMode(QProcess::MergedChannels);
            const QStringList onTerminal{"-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"};
            process.start(isTerminal ? "python3" : words.front(),
                          isTerminal ? onTerminal + words : words.mid(1));
            QVERIFY(waitUntil([&] { return process.state() == QProcess::NotRunning; }));
            QCOMPARE(process.exitCode(), 3);
            QByteArray told = process.readAll();
            QVERIFY2(told.contains("after\\u009b2J\\u202e"), told.constData());
            QVERIFY2(told.contains(isTerminal ? "  red " : "red"), told.constData());
            told.replace("\r\033[K", ""); // Lockstep's own: the progress line is redrawn
            for (const char* acting : {"\033", "\007", "\u009b", "\u202e", "\rover"})
                QVERIFY2(!told.contains(acting), told.toPercentEncoding(" :,{}\"").constData());
            std::filesystem::remove_all(site.node(0).home() / "reports");
        }
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
        QVERIFY(waitUntil(bothStep));
        run.stop(1);
        QVERIFY(waitUntil([&] { return run.state() == RunState::ended; }));
        QCOMPARE(run.hosts()[0].state, HostState::ended);
        QVERIFY(run.hosts()[0].problems.empty());
        QVERIFY(!run.hosts()[1].problems.empty());
        QCOMPARE(run.hosts()[1].problems.front().word, std::string("stop_ignored"));
        QVERIFY(site.node(1).processes("train.py").empty());
        // The output from before is there.
        CollectOptions requested;
        requested.folder = site.site().folder() / "collected";
        Collector collector(run, requested);
        bool isCollected = false;
        connect(&collector, &Collector::finished, this, [&] { isCollected = true; });
        collector.begin();
        QVERIFY(waitUntil([&] { return isCollected; }));
        QCOMPARE(run.ledger().counts()[static_cast<size_t>(LedgerState::verified)], size_t(4));
    }
};

LOCKSTEP_TEST(RunLogTest, "run_log_test")
#include "run_log_test.moc"
