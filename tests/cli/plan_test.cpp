// SPDX-License-Identifier: Apache-2.0
// lockstep --plan as scripts see it: exit statuses, and the plan on standard output.
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;

class PlanTest : public QObject {
    Q_OBJECT

  private slots:
    void printsThePlan()
    {
        const test::TempDir folder;
        const auto file =
            folder.write("s.yaml", "framework: command\ncommand: [python3, t.py]\ntool: nsys\n");
        const auto facts =
            folder.write("f.json", R"({"lockstep_probe": 1, "host": "localhost", "nsys": []})");
        const QString session = QString::fromStdString(file.string());
        const ProgramRun run = runLockstep({"--plan", session});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("nsys profile"));
        const ProgramRun checked =
            runLockstep({"--plan", session, "--host-facts", QString::fromStdString(facts.string())});
        QCOMPARE(checked.status, 3);
        QVERIFY(checked.output.contains("nsys is not on PATH"));
    }

    void unknownKeysAreToldWithTheirPlace()
    {
        const test::TempDir folder;
        const QString session = QString::fromStdString(
            folder.write("s.yaml", "framework: command\ncommand: [python3, t.py]\ntool: nsys\nrolse: 1\n")
                .string());
        const ProgramRun run = runLockstep({"--plan", session});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("warning  rolse: line 4, column 1: "), qPrintable(run.output));
        QVERIFY2(run.output.contains("the nearest known key is roles"), qPrintable(run.output));
        const ProgramRun strict = runLockstep({"--plan", session, "--strict"});
        QCOMPARE(strict.status, 3);
        QVERIFY2(strict.output.contains("error    rolse: line 4, column 1: "), qPrintable(strict.output));
        QCOMPARE(runLockstep({"--strict", session}).status, 2);
    }

    void saysWhyThereIsNone()
    {
        const ProgramRun run = runLockstep({"--plan", "nowhere.yaml"});
        QCOMPARE(run.status, 1);
        QVERIFY(run.errors.contains("nowhere.yaml"));
        QCOMPARE(runLockstep({"--host-facts", "f.json"}).status, 2);
    }
};

LOCKSTEP_TEST(PlanTest, "plan_test")
#include "plan_test.moc"
