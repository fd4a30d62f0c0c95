// SPDX-License-Identifier: Apache-2.0
// Tests the vendor's own nsys on a node: the agent's probe finds it, and its reports are recognized and
// verified.
#include "core/remote/collector.h"
#include "core/session/host_facts.h"
#include "tests/support/agent_run.h"
#include "tests/support/real_nsys.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

class NsysAgentTest : public QObject {
    Q_OBJECT

  private slots:
    void probeFindsNsys()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir home;
        fs::create_directories(home.path() / "bin");
        fs::create_symlink(realNsys().folder / "nsys", home.path() / "bin/nsys");
        const AgentAnswer answer = runAgent(home.path(), {"probe"});
        QCOMPARE(answer.status, 0);
        const auto facts = hostFactsFromJson(answer.output.toStdString());
        QVERIFY2(facts, answer.output);
        const auto nsys = std::ranges::find_if(*facts->front().nsys, [&](const NsysFacts& found) {
            return found.path == (home.path() / "bin/nsys").string();
        });
        QVERIFY2(nsys != facts->front().nsys->end(), answer.output);
        QVERIFY(nsys->isOnPath);
        QVERIFY2(nsys->version.starts_with("2022.4.2."), nsys->version.c_str());
        for (const char* option : {"trace", "capture-range", "capture-range-end", "nvtx-capture", "output"})
            QVERIFY2(std::ranges::find(nsys->options, option) != nsys->options.end(), option);
    }

    void reportsAreRecognized()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir home;
        const fs::path whole = record(home.path(), "whole", 2);
        const fs::path cut = home.path() / "cut.nsys-rep";
        fs::copy_file(whole, cut);
        fs::resize_file(cut, fs::file_size(cut) / 2);
        const AgentAnswer answer =
            runAgent(home.path(), {"list", QString::fromStdString(home.path().string())});
        QCOMPARE(answer.status, 0);
        size_t seen = 0;
        for (const QJsonObject& line : answer.objects()) {
            const QString path = line["path"].toString();
            if (!path.endsWith(".nsys-rep")) continue;
            ++seen;
            QCOMPARE(line["kind"].toString(), QString("nsys report"));
            QCOMPARE(line["complete"].toBool(), path.endsWith("whole.nsys-rep"));
        }
        QVERIFY2(seen == 2, answer.output);
    }

    void reportsAreVerified()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path whole = record(scratch.path(), "whole", 2);
        const fs::path empty = record(scratch.path(), "empty", 0, {"--trace=nvtx"});
        qputenv("PATH", (realNsys().folder.string() + ":" + qgetenv("PATH").toStdString()).c_str());
        qputenv("XDG_CACHE_HOME", (scratch.path() / "cache").c_str());
        const ContentCheck proof = verifyContent(whole, Progress());
        QVERIFY2(proof.problem.empty(), proof.problem.c_str());
        QVERIFY(proof.rows >= 2 * 6); // ranges, exchange and mark of two steps, and calls
        const ContentCheck none = verifyContent(empty, Progress());
        QVERIFY(!none.isUnopened);
        fs::resize_file(whole, fs::file_size(whole) - 8);
        const ContentCheck cut = verifyContent(whole, Progress());
        QVERIFY(!cut.problem.empty() && !cut.isUnopened && cut.rows == 0);
    }
};

LOCKSTEP_TEST(NsysAgentTest, "agent_test")
#include "agent_test.moc"
