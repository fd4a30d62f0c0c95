// SPDX-License-Identifier: Apache-2.0
// Tests the findings before a launch, on real hosts: nothing of the run exists there afterwards.
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
    void unreachableHostStopsTheLaunch()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.site().addDeadAlias("gone");
        site.config().hosts.push_back({"gone", "", {}, {}, ""});
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY(process.errors().contains("nothing listens on its port"));
        QVERIFY2(process.errors().contains("1 of 2 hosts did not respond; nothing was started"),
                 process.errors().constData());
        QVERIFY(!wasStarted(site));
    }

    void changedHostKeyStopsTheLaunch()
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

    void unwritableOutput()
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
            QVERIFY(!fs::exists(site.node(0).home() / ".cache")); // not even queried
        }
    }

    void missingFilesOnAHost_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("told");
        const auto row = [](const char* what, const char* told) { QTest::newRow(what) << what << told; };
        row("working folder", "/no/such/folder does not exist on node0");
        row("working folder is a file", "train.py is not a folder on node0");
        row("program", "no-such-program is not on PATH on node0");
        row("program path", "./no-such-program does not exist or is not executable on node0");
        row("interpreter", "needs no-such-python, which does not exist on node0");
        row("script", "missing.py does not exist on node0");
        row("save path", "is not writable on node0");
    }
    void missingFilesOnAHost()
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

    // The check uses the session's own PATH and working folder.
    void theSessionsPathIsUsed()
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

    // ssh aliases are not host names: torchrun gets an address that the other hosts can reach.
    void hostsGetAReachableAddress()
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
        if (told.contains("node1 cannot resolve node0")) { // a machine without an address
            QCOMPARE(status, 1);
            return;
        }
        const auto lines = process.linesWhere(lineOf("stdout", "node1"));
        QVERIFY2(!lines.empty(), told.constData());
        const QString words = lines.front()["text"].toString();
        QVERIFY2(words.contains("--master-addr=") && !words.contains("--master-addr=node0"),
                 qPrintable(words));
        QVERIFY(told.contains("they get its address"));
        // A name that the hosts resolve is preserved, and so is an address that the user entered.
        config.hosts[0].address = "127.0.0.1";
    }
};

LOCKSTEP_TEST(BeforeLaunchTest, "before_launch_test")
#include "before_launch_test.moc"
