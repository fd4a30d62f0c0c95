// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <sstream>

#include "app/cli/plan_command.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class PlanCommandTest : public QObject {
    Q_OBJECT

  private slots:
    void printsPlanForecastAndFindings();
    void reportsErrors();
    void reportsWhyThereIsNoPlan();
};

void PlanCommandTest::printsPlanForecastAndFindings()
{
    const test::TempDir folder;
    const auto session =
        folder.write("s.yaml", "framework: command\ncommand: [python3, train.py]\ntool: nsys\n");
    std::ostringstream out, err;
    QCOMPARE(planCommand(session, std::nullopt, false, out, err), 0);
    QVERIFY(out.str().find("nsys profile") != std::string::npos);
    QVERIFY(out.str().find("# expected files") != std::string::npos);
    QVERIFY(out.str().find("# findings\n# none") != std::string::npos);
    QVERIFY(err.str().empty());
}

void PlanCommandTest::reportsErrors()
{
    const test::TempDir folder;
    const auto session =
        folder.write("s.yaml", "framework: command\ncommand: [python3, train.py]\ntool: nsys\n");
    const auto facts = folder.write("f.json", R"({"lockstep_probe": 1, "host": "localhost", "nsys": []})");
    std::ostringstream out, err;
    QCOMPARE(planCommand(session, facts, false, out, err), 3);
    QVERIFY(out.str().find("nsys is not on PATH") != std::string::npos);
}

void PlanCommandTest::reportsWhyThereIsNoPlan()
{
    const test::TempDir folder;
    std::ostringstream out, err;
    QCOMPARE(planCommand(folder.path() / "none.yaml", std::nullopt, false, out, err), 1);
    QVERIFY(err.str().find("none.yaml") != std::string::npos);
    QVERIFY(out.str().empty());
    std::ostringstream wrong;
    QCOMPARE(planCommand(folder.write("bad.yaml", "steps: five\n"), std::nullopt, false, out, wrong), 1);
    QVERIFY(wrong.str().find("line 1, column 8") != std::string::npos);
    QVERIFY(out.str().empty());
}

LOCKSTEP_TEST(PlanCommandTest, "plan_command_test")
#include "plan_command_test.moc"
