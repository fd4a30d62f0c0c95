// SPDX-License-Identifier: Apache-2.0
// Tests the lines that a headless run prints for an event on a terminal.
#include <QRegularExpression>

#include "app/run/run_lines.h"
#include "tests/support/scripted_run.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

RunEvent output(std::string text)
{
    RunEvent event;
    event.kind = EventKind::standardOutput;
    event.time_ns = 3'600'000'000'000;
    event.text = std::move(text);
    return event;
}

std::vector<std::string> told(const RunEvent& event)
{
    return readableEvent("node0", event);
}

const std::string kFront = "01:00:00 node0  ";

} // namespace

class RunLinesTest : public QObject {
    Q_OBJECT

  private slots:
    void logsHaveNoTerminalControls()
    {
        QCOMPARE(told(output("\x1b]0;owned\x07\x1b[2Ja\nb\x1b]52;c;eA==\x07\n")),
                 (std::vector<std::string>{kFront + "\\u001b]0;owned\\u0007\\u001b[2Ja",
                                           kFront + "b\\u001b]52;c;eA==\\u0007"}));
        // A line that a program overwrites is only overwritten within that program's line.
        QCOMPARE(told(output("10%\r20%\r\nx\r\r\n")),
                 (std::vector<std::string>{kFront + "20%", kFront + "x"}));
        QCOMPARE(told(output("a\rroot@here:~# \r")), std::vector<std::string>{kFront + "root@here:~# "});
        QCOMPARE(told(output("\n")), std::vector<std::string>{kFront});
        QCOMPARE(told(output("a\tb")), std::vector<std::string>{kFront + "a\tb"});
    }

    void anEventIsOneLine()
    {
        RunEvent event;
        event.time_ns = 3'600'000'000'000;
        event.kind = EventKind::error;
        event.text = "no room\nleft\x1b[2J";
        QCOMPARE(told(event), std::vector<std::string>{kFront + "problem: no room left\\u001b[2J"});
        event.kind = EventKind::report;
        event.path = "/a\nnode1: ended\x9b.json";
        event.isComplete = true;
        QCOMPARE(told(event),
                 std::vector<std::string>{kFront + "report /a node1: ended\uFFFD.json, 0 B, complete"});
        event.kind = EventKind::exit;
        event.name = "tr\rain";
        event.code = 1;
        QCOMPARE(told(event), std::vector<std::string>{kFront + "ended: tr ain: no room left\\u001b[2J"});
        event.kind = EventKind::sample;
        QVERIFY(told(event).empty());
        RunEvent cut = output("");
        cut.cut_bytes = 2048;
        QCOMPARE(told(cut), std::vector<std::string>{kFront + "[2.00 KiB more in the log file on the host]"});
    }

    // The reason of a failed host is printed with the host; reports that it did not write are counted.
    void failureIsReportedOnce()
    {
        ScriptedRun scripted(2);
        QCOMPARE(scripted.create(), std::string());
        Run& run = scripted.run();
        const size_t expected = run.ledger().expectedCount();
        QVERIFY(expected >= 4);
        for (size_t host : {0u, 1u}) {
            scripted.host(host).tell("started", 1'000'000'000, "\"pid\":1,\"commands\":1");
            scripted.host(host).tell("exit", 2'000'000'000,
                                     R"("command":0,"name":"train","code":3,"text":"exit status 3")");
            scripted.host(host).tell("exit", 3'000'000'000, "\"run\":true,\"code\":3,\"stopped\":false");
        }
        run.begin();
        QVERIFY(waitUntil([&] { return run.state() == RunState::ended; }));
        QCOMPARE(run.hosts()[0].reason, std::string("train: exit status 3"));
        QCOMPARE(ledgerText(run.ledger()).find("exit status"), std::string::npos);
        size_t told = 0;
        const auto lines = shortfalls(run.ledger());
        for (const std::string& line : lines) {
            QVERIFY2(line.find("exit status") == line.npos, line.c_str());
            const auto counted = QRegularExpression("(\\d+) reports?").match(QString::fromStdString(line));
            QVERIFY2(counted.hasMatch(), line.c_str());
            told += counted.captured(1).toULong();
        }
        QVERIFY2(lines.size() <= 3,
                 std::to_string(lines.size()).c_str()); // a report per host, and one without a host
        QCOMPARE(told, expected);
    }
};

LOCKSTEP_TEST(RunLinesTest, "run_lines_test")
#include "run_lines_test.moc"
