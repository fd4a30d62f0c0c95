// SPDX-License-Identifier: Apache-2.0
// What is found before anything starts, on real hosts: nothing of the run is there afterwards.
#include <fstream>

#include "core/remote/run_record.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

bool wasStarted(RunSite& site)
{
    return fs::exists(site.node(0).home() / "reports") ||
           fs::exists(site.node(0).home() / ".local/state/lockstep/agent-runs");
}

void writeProgram(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
}

} // namespace

class BeforeLaunchTest : public QObject {
    Q_OBJECT

  private slots:
    void aHostOutOfReachStopsTheLaunch()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.site().addDeadAlias("gone");
        site.config().hosts.push_back({"gone", "", {}, {}, ""});
        LockstepProcess process = site.run({"--patience", "2"});
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY(process.errors().contains("nothing listens there"));
        QVERIFY2(process.errors().contains("1 of 2 hosts did not answer; nothing was started"),
                 process.errors().constData());
        QVERIFY(!wasStarted(site));
    }

    void aChangedHostKeyStopsTheLaunch()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.node(1).killSshd();
        site.node(1).changeHostKey();
        QVERIFY(site.node(1).start());
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY(process.errors().contains("ssh-keygen -R"));
        QVERIFY(!wasStarted(site));
    }

    void anOutputThatCannotBeWritten()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        const fs::path file = site.site().folder() / "file";
        std::ofstream(file) << "x";
        const fs::path session = site.site().folder() / "session.yaml";
        QVERIFY(saveSession(site.config(), session));
        for (const fs::path& output : {file / "run.lockstep", site.site().folder()}) {
            LockstepProcess process(site.site().environment(),
                                    {"--run", QString::fromStdString(session.string()), "-o",
                                     QString::fromStdString(output.string())});
            QCOMPARE(process.waitForEnd(), 1);
            QVERIFY2(process.errors().contains("cannot be written"), process.errors().constData());
            QVERIFY(!fs::exists(site.node(0).home() / ".cache")); // not even asked
        }
    }

    void whatAHostDoesNotHave_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("told");
        const auto row = [](const char* what, const char* told) { QTest::newRow(what) << what << told; };
        row("working folder", "/no/such/folder is not there on node0");
        row("working folder is a file", "train.py is no folder on node0");
        row("program", "no-such-program is on no folder of PATH on node0");
        row("program path", "./no-such-program is not there, or cannot be run, on node0");
        row("interpreter", "wants no-such-python, which is not there on node0");
        row("script", "missing.py is not there on node0");
        row("save path", "cannot be written on node0");
    }
    void whatAHostDoesNotHave()
    {
        QFETCH(QString, what);
        QFETCH(QString, told);
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        SessionConfig& config = site.config();
        if (what == "working folder") config.workingFolder = "/no/such/folder";
        if (what == "working folder is a file")
            config.workingFolder = (site.node(0).home() / "train.py").string();
        if (what == "program") config.command = {"no-such-program"};
        if (what == "program path") config.command = {"./no-such-program"};
        if (what == "script") config.command = {"python3", "missing.py"};
        if (what == "save path") config.savePath = (site.node(0).home() / "train.py/reports").string();
        if (what == "interpreter") {
            writeProgram(site.node(0).home() / "go", "#!/usr/bin/env no-such-python\n");
            config.command = {"./go"};
        }
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY2(process.errors().contains(told.toUtf8()), process.errors().constData());
        QVERIFY(process.errors().contains("nothing was started"));
        QVERIFY(!wasStarted(site));
    }

    // The session's own PATH and working folder are where it looks.
    void theSessionsPathCounts()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        const fs::path bin = site.node(0).home() / "tools";
        writeProgram(bin / "start-training", "#!/bin/sh\nexec python3 ./train.py 1\n");
        site.config().environment = {{"PATH", bin.string() + ":/usr/local/bin:/usr/bin:/bin"}};
        site.config().command = {"start-training"};
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
    }

    // Aliases of ssh are no names of hosts: torchrun is given what the other hosts can reach.
    void hostsMeetWhereTheyCan()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        const fs::path bin = site.site().folder() / "bin";
        writeProgram(bin / "torchrun", "#!/bin/sh\necho \"$@\"\n");
        SessionConfig& config = site.config();
        config.environment = {{"PATH", bin.string() + ":/usr/local/bin:/usr/bin:/bin"}};
        config.framework = Framework::torchrun;
        config.command = {"train.py"};
        config.torchrun.processesPerNode = 1;
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        const QByteArray told = process.errors();
        if (told.contains("node1 does not resolve node0")) { // a machine without an address
            QCOMPARE(status, 1);
            return;
        }
        const auto lines = process.linesWhere(lineOf("stdout", "node1"));
        QVERIFY2(!lines.empty(), told.constData());
        const QString words = lines.front()["text"].toString();
        QVERIFY2(words.contains("--master-addr=") && !words.contains("--master-addr=node0"),
                 qPrintable(words));
        QVERIFY(told.contains("they are given its address"));
        // A name that they resolve stays, and so does what the user wrote.
        config.hosts[0].address = "127.0.0.1";
    }
};

LOCKSTEP_TEST(BeforeLaunchTest, "before_launch_test")
#include "before_launch_test.moc"
