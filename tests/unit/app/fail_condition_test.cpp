// SPDX-License-Identifier: Apache-2.0
// Conditions on one number of an export.
#include "app/fail_condition.h"

#include "tests/support/job_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class FailConditionTest : public QObject {
    Q_OBJECT

  private slots:
    void comparisons_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("holdsAtSeven");
        QTest::newRow("<") << "links<7" << false;
        QTest::newRow("<=") << "links <= 7" << true;
        QTest::newRow("==") << "links==7" << true;
        QTest::newRow("!=") << "links != 7" << false;
        QTest::newRow(">=") << "links>=8" << false;
        QTest::newRow(">") << "links > 6" << true;
    }
    void comparisons()
    {
        QFETCH(QString, text);
        QFETCH(bool, holdsAtSeven);
        const FailCondition condition = *parseFailCondition(text.toStdString());
        QCOMPARE(condition.name, std::string("links"));
        QCOMPARE(holds(condition, 7), holdsAtSeven);
    }

    void measures_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("kernel_total") << "kernel_total" << qint64(700);
        QTest::newRow("kernel_count") << "kernel_count" << qint64(3);
        QTest::newRow("api_total") << "api_total" << qint64(30);
        QTest::newRow("api_count") << "api_count" << qint64(4);
        QTest::newRow("memory_total") << "memory_total" << qint64(60);
        QTest::newRow("memory_count") << "memory_count" << qint64(2);
        QTest::newRow("osrt_total") << "osrt_total" << qint64(110);
        QTest::newRow("links") << "links" << qint64(4);
        QTest::newRow("data_loss") << "data_loss" << qint64(2);
        QTest::newRow("failed_inputs") << "failed_inputs" << qint64(1);
        QTest::newRow("unplaced_reports") << "unplaced_reports" << qint64(1);
    }
    void measures()
    {
        QFETCH(QString, name);
        QFETCH(qint64, expected);
        Workspace workspace;
        workspace.add(test::jobReport({}));
        const ScenePtr scene = makeUndrawnScene(workspace, alignReports(workspace, {}));
        Scope byRank;
        byRank.by = GroupBy::rank;
        const std::vector<InputFile> inputs{{"a", 0, "", ReportKey(0u), {}},
                                            {"b", 0, "", {}, Error{ErrorKind::corrupt, "b: broken"}}};
        const FailCondition condition = *parseFailCondition(name.toStdString() + ">0");
        const AnalysisRequest request{"", {}, *scene, byRank, inputs};
        QCOMPARE(qint64(*measure(condition, request, Progress())), expected);
    }

    void everyNameCanBeMeasured() { QCOMPARE(failConditionNames().size(), size_t(11)); }
};

LOCKSTEP_TEST(FailConditionTest, "fail_condition_test")
#include "fail_condition_test.moc"
