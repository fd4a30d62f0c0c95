// SPDX-License-Identifier: Apache-2.0
// Tests that the agent expands paths in the home folder as the shell does in the pasted plan, and that it
// reports them as they were queried.
#include <QTest>

#include <algorithm>
#include <fstream>

#include "core/session/host_facts.h"
#include "tests/support/agent_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class HomePathsTest : public QObject {
    Q_OBJECT

  private slots:
    void commandsGetThePathsOfTheHomeFolder()
    {
        QJsonObject plan =
            hostPlan({{"python3", "-c",
                       "import os,sys\nprint(sys.argv[1:], os.environ['A'], os.environ['B'], os.getcwd())\n"
                       "open(sys.argv[1] + '/r.nsys-rep', 'w').close()",
                       "~/out d", "--o=$HOME/x", "~user/x", "a~b", "$(touch PWNED)", "$$HOME:$USER",
                       "$PWD/y/$SLURM_JOB_ID"}},
                     {"~/out d"});
        plan["environment"] = QJsonObject{{"A", "${HOME}/y"}, {"B", "$HOMEX"}};
        plan["files"] =
            QJsonArray{QJsonObject{{"path", "~/out d/in.txt"}, {"content", "x"}, {"executable", false}}};
        plan["working_folder"] = "~/w d";
        qputenv("USER", "someone");
        qputenv("SLURM_JOB_ID", "7");
        AgentRun run(plan);
        std::filesystem::create_directories(run.home() / "w d");
        run.start();
        qunsetenv("SLURM_JOB_ID");
        const AgentAnswer answer = run.attach();
        const QString home = QString::fromStdString(run.home().string());
        const QString expected =
            QString("['%1/out d', '--o=%1/x', '~user/x', 'a~b', '$(touch PWNED)', '$HOME:someone', "
                    "'%1/w d/y/7'] %1/y $HOMEX %1/w d")
                .arg(home);
        QVERIFY2(textOf(answer.objects(), "stdout").contains(expected),
                 qPrintable(textOf(answer.objects(), "stdout") + textOf(answer.objects(), "stderr")));
        QCOMPARE(answer.status, 0);
        QVERIFY(std::filesystem::exists(run.home() / "out d/in.txt"));
        QVERIFY(!std::filesystem::exists(run.home() / "w d/PWNED"));
        const AgentAnswer list = run.agent({"list", "--run", run.folderText()});
        QVERIFY2(list.output.contains("r.nsys-rep"), list.output.constData());
    }

    void referencesWithoutAValueStopTheStart()
    {
        AgentRun run(hostPlan({{"python3", "-c", "print('started')", "$SLURM_NOWHERE"}}, {}));
        const AgentAnswer answer = run.start();
        QCOMPARE(answer.status, 1);
        QVERIFY2(answer.errors.contains("not set on this host: '$SLURM_NOWHERE'"), answer.errors.constData());
    }

    // A relative report folder of captures is below the folder of the commands, wherever the program goes.
    void captureFoldersAreAbsolute()
    {
        QJsonObject plan = hostPlan(
            {{"python3", "-c",
              "import os\nprint(os.environ['LOCKSTEP_OUTPUT'], os.environ['LOCKSTEP_CAPTURE_OUTPUT'])"}},
            {"out"});
        plan["environment"] =
            QJsonObject{{"LOCKSTEP_OUTPUT", "out"}, {"LOCKSTEP_CAPTURE_OUTPUT", "/absolute"}};
        plan["working_folder"] = "~/w";
        AgentRun run(plan);
        std::filesystem::create_directories(run.home() / "w");
        run.start();
        const AgentAnswer answer = run.attach();
        const QString printed = textOf(answer.objects(), "stdout");
        const QString expected = QString::fromStdString((run.home() / "w/out").string()) + " /absolute";
        QVERIFY2(printed.contains(expected), qPrintable(printed));
    }

    void probesAreAnsweredAsQueried()
    {
        TempDir home;
        std::filesystem::create_directories(home.path() / "w d");
        std::ofstream(home.path() / "w d/t.py") << "x";
        const AgentAnswer answer =
            runAgent(home.path(), {"probe", "--folder", "~/w d", "--write", "$HOME/out", "--file", "t.py",
                                   "--file", "~/none", "--program", "~/bin/none", "--disk", "~/w d"});
        const auto facts = hostFactsFromJson(answer.output.toStdString());
        QVERIFY2(facts, answer.output.constData());
        const auto path = [&](std::string_view name) {
            const auto found = std::ranges::find(facts->front().paths, name, &PathFacts::path);
            return found != facts->front().paths.end() ? *found : PathFacts{};
        };
        QVERIFY(path("~/w d").exists && path("~/w d").isFolder);
        QVERIFY(!path("$HOME/out").exists && path("$HOME/out").isWritable);
        QVERIFY(path("t.py").exists);
        QVERIFY(path("~/none").path == "~/none" && !path("~/none").exists);
        QCOMPARE(facts->front().programs.front().word, std::string("~/bin/none"));
        QVERIFY(findDisk(facts->front(), "~/w d/reports") != nullptr);
    }
};

LOCKSTEP_TEST(HomePathsTest, "home_paths_test")
#include "home_paths_test.moc"
