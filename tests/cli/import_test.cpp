// SPDX-License-Identifier: Apache-2.0
// Tests lockstep --import for scripts: the session goes to standard output or a file, everything else to
// standard error.
#include <filesystem>

#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;

namespace {

const QByteArray kScript = "set -x\nexport A=1\nsteps='[2,5]'\n"
                           "python3 -m verl.trainer.main_ppo trainer.nnodes=1 \\\n"
                           "  ++global_profiler.tool=nsys ++global_profiler.steps=$steps\n";

} // namespace

class ImportTest : public QObject {
    Q_OBJECT

  private slots:
    void scriptsBecomeSessions()
    {
        const test::TempDir folder;
        const auto script = folder.write("run.sh", kScript.toStdString());
        const QString session = QString::fromStdString((folder.path() / "s.yaml").string());
        const ProgramRun run =
            runLockstep({"--import", QString::fromStdString(script.string()), "-o", session});
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY(run.output.isEmpty());
        const ProgramRun plan = runLockstep({"--plan", session});
        QVERIFY2(plan.output.contains("++global_profiler.steps=[2,5]"), plan.output);
        QVERIFY2(plan.output.contains("A=1"), plan.output);
    }

    void standardInputAndOutput()
    {
        const ProgramRun run = runLockstep({"--import", "-"}, kScript);
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("steps: [2, 5]"), run.output);
    }

    void lossesAreReportedWithTheirLine()
    {
        const QByteArray more = "echo hello\nfor i in 1 2; do python3 other.py $i; done\nsource env.sh\n";
        const ProgramRun run = runLockstep({"--import", "-"}, kScript + more);
        QCOMPARE(run.status, 3);
        QVERIFY2(run.errors.contains("line 7: not imported, another launch: python3 other.py 1"), run.errors);
        QVERIFY2(run.errors.contains("line 7: not imported, another launch: python3 other.py 2"), run.errors);
        QVERIFY2(run.errors.contains("line 8: sources env.sh"), run.errors);
        QVERIFY2(run.errors.contains("lockstep: note: line 6: not imported: echo hello"), run.errors);
        QVERIFY2(run.output.contains("steps: [2, 5]"), run.output);
        const ProgramRun quiet = runLockstep({"--import", "-", "-q"}, kScript + more);
        QVERIFY2(!quiet.errors.contains("echo hello") && quiet.errors.contains("line 8"), quiet.errors);
    }

    void valuesAreGiven()
    {
        const QByteArray script =
            "D=${D:-$(nvidia-smi -L)}\nif [ $D = a ]; then n=1; else n=2; fi\n"
            "python3 -m verl.trainer.main_ppo trainer.nnodes=$n trainer.d=$D \"x.t=$1\"\n";
        const ProgramRun open = runLockstep({"--import", "-"}, script);
        QCOMPARE(open.status, 3);
        QVERIFY2(!open.output.contains("nnodes") && !open.output.contains("$D") &&
                     !open.output.contains("$1"),
                 open.output);
        QVERIFY2(open.errors.contains("line 3: left unset: trainer.nnodes=$n") &&
                     open.errors.contains("give its value (--set D=VALUE)"),
                 open.errors);
        const ProgramRun given = runLockstep({"--import", "-", "--set", "D=b", "--set=1=t u"}, script);
        QVERIFY2(given.status == 0, given.errors);
        QVERIFY2(given.output.contains("trainer.nnodes=2") && given.output.contains("trainer.d=b") &&
                     given.output.contains("x.t=t u"),
                 given.output);
        for (const char* wrong : {"D", "=x", "1a=x", "A-B=x", ""})
            QCOMPARE(runLockstep({"--import", "-", "--set", wrong}, script).status, 2);
        QCOMPARE(runLockstep({"--plan", "x.yaml", "--set", "A=1"}).status, 2);
    }

    void filesNextToAScriptAreSourced()
    {
        const test::TempDir folder;
        folder.write("common.env", "NODES=4\nTOKEN=secret\n");
        const auto script =
            folder.write("sub/run.sh", "cd \"$(dirname \"$0\")/..\"\nsource common.env\n"
                                       "source \"$(dirname \"${BASH_SOURCE[0]}\")/../common.env\"\n"
                                       "python3 -m verl.trainer.main_ppo trainer.nnodes=$NODES\n");
        const ProgramRun run = runLockstep({"--import", QString::fromStdString(script.string())});
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY2(run.output.contains("trainer.nnodes=4"), run.output);
        QVERIFY2(run.output.contains(("working_folder: " + folder.path().string()).c_str()), run.output);
        QVERIFY2(run.errors.contains("the folder of the script on this machine"), run.errors);
    }

    void nothingOfAScriptIsRun()
    {
        const test::TempDir folder;
        const QByteArray mark = QByteArray::fromStdString((folder.path() / "mark").string());
        for (const QByteArray& command :
             {"touch " + mark, "x=$(touch " + mark + ")", "echo > " + mark, "`touch " + mark + "`",
              "eval 'touch " + mark + "'", "bash -c 'touch " + mark + "'", "cat <(touch " + mark + ")",
              "trap 'touch " + mark + "' EXIT", "a[$(touch " + mark + ")]=1",
              "echo ${x:-$(touch " + mark + ")}", "echo $(( $(touch " + mark + ") ))",
              "[[ -n $(touch " + mark + ") ]]"}) {
            const ProgramRun run = runLockstep({"--import", "-"}, command + "\n" + kScript);
            QVERIFY2(run.status == 0 || run.status == 3, command + run.errors);
            QVERIFY2(!std::filesystem::exists(mark.toStdString()), command);
        }
    }

    void otherTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("holds");
        QTest::newRow("verl") << QByteArray(
                                     "trainer:\n  nnodes: 2\nglobal_profiler:\n  tool: torch\n  steps: [1]\n")
                              << QByteArray("tool: torch");
        QTest::newRow("NeMo RL") << QByteArray("grpo:\n  max_num_steps: 7\npolicy: {x: 1}\n")
                                 << QByteArray("total_steps: 7");
        QTest::newRow("variables")
            << QByteArray("NRL_NSYS_PROFILE_STEP_RANGE=3:5\nLS=a;b c\nNRL_NSYS_WORKER_PATTERNS=*policy*\n")
            << QByteArray("steps: [3, 4]");
        QTest::newRow("printed variables")
            << QByteArray("A=x y; z\nB='q r'\n") << QByteArray("A: \"x y; z\"");
        QTest::newRow("overrides") << QByteArray("global_profiler.tool=nsys\n++global_profiler.steps=[4]\n")
                                   << QByteArray("steps: [4]");
        QTest::newRow("a session") << QByteArray("lockstep_session: 1 # mine\ntool: nsys\n")
                                   << QByteArray("lockstep_session: 1 # mine\n");
    }

    void otherTexts()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, holds);
        const ProgramRun run = runLockstep({"--import", "-"}, text);
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY2(run.output.contains(holds), run.output);
    }

    void inputsThatAreNotSessions()
    {
        for (const QByteArray& text :
             {QByteArray(), QByteArray("# x\n"), QByteArray("a: 1\nb: 2\n"), QByteArray("\xff\xfe"),
              QByteArray("echo 'x\n"), QByteArray("trainer: [1\n")}) {
            const ProgramRun run = runLockstep({"--import", "-"}, text);
            QVERIFY2(run.status == 1, run.output);
            QVERIFY2(run.errors.startsWith("lockstep: standard input: "), run.errors);
            QVERIFY(run.output.isEmpty());
        }
        QCOMPARE(runLockstep({"--import", "nowhere.sh"}).status, 1);
        QCOMPARE(runLockstep({"--import"}).status, 2);
        QCOMPARE(runLockstep({"--import", "a", "b"}).status, 2);
    }
};

LOCKSTEP_TEST(ImportTest, "import_test")
#include "import_test.moc"
