// SPDX-License-Identifier: Apache-2.0
// Tests conditions on one number of an export.
#include "app/cli/fail_condition.h"

#include "app/cli/column_condition.h"
#include "tests/support/job_report.h"
#include "tests/support/row_report.h"
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
        QCOMPARE(compares(condition.comparison, 7, condition.limit), holdsAtSeven);
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
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        Scope byRank;
        byRank.by = GroupBy::rank;
        const std::vector<InputFile> inputs{{"a", 0, "", ReportKey(0u), {}, {}},
                                            {"b", 0, "", {}, Error{ErrorKind::corrupt, "b: broken"}, {}}};
        const std::string number = std::to_string(expected);
        const ArgumentValues none;
        const AnalysisRequest request{"", none, *scene, byRank, inputs};
        const auto checked = [&](const std::string& text) {
            return *checkCondition(*parseFailCondition(text), request, nullptr, Progress());
        };
        QVERIFY(checked(name.toStdString() + "==" + number).holds);
        QVERIFY(!checked(name.toStdString() + ">" + number).holds);
        QCOMPARE(checked(name.toStdString() + ">0").text, name.toStdString() + " is " + number);
    }

    void tablesAndColumns_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("holds");
        QTest::newRow("rows") << "cuda_gpu_kern_sum==2" << true;
        QTest::newRow("rows with arguments") << "gpu_gaps:gap=1ns>=0" << true;
        QTest::newRow("a sum") << "cuda_gpu_kern_sum.Total Time==600ns" << true;
        QTest::newRow("any case, with the unit") << "cuda_gpu_kern_sum.total_time_ns < 601" << true;
        QTest::newRow("a count") << "cuda_gpu_kern_sum.instances>3" << false;
        QTest::newRow("any row's mean") << "cuda_gpu_kern_sum.Avg>=200" << true;
        QTest::newRow("no row's mean") << "cuda_gpu_kern_sum.Avg>200ns" << false;
        QTest::newRow("times in their units") << "cuda_gpu_kern_sum.Max<1us" << true;
        QTest::newRow("increase") << "kernel_total>+199%" << true;
        QTest::newRow("equal increase") << "kernel_total>+200%" << false;
        QTest::newRow("increase of at least") << "kernel_total>=200%" << true;
        QTest::newRow("down") << "kernel_total<-1%" << false;
        QTest::newRow("increase of a sum") << "cuda_gpu_kern_sum.Total Time>+150%" << true;
        QTest::newRow("increase of a row") << "cuda_gpu_kern_sum.Avg>+99%" << true;
        QTest::newRow("increase of no row") << "cuda_gpu_kern_sum.Avg>+100%" << false;
        QTest::newRow("increase from zero") << "memory_count>+1000%" << false;
        QTest::newRow("more rows") << "cuda_gpu_kern_sum>+50%" << true;
    }
    void tablesAndColumns()
    {
        QFETCH(QString, text);
        QFETCH(bool, holds);
        test::RowReport now, earlier;
        now.kernel("gemm", 0, 200);
        now.kernel("gemm", 200, 400);
        now.kernel("relu", 400, 600);
        earlier.kernel("gemm", 0, 100);
        earlier.kernel("gemm", 100, 200);
        const Workspace after = now.made(), before = earlier.made();
        const ScenePtr sceneAfter = makeHeadlessScene(after, alignReports(after, {})),
                       sceneBefore = makeHeadlessScene(before, alignReports(before, {}));
        const ArgumentValues none;
        const Scope scope;
        const AnalysisRequest request{"", none, *sceneAfter, scope, {}},
            other{"", none, *sceneBefore, scope, {}};
        const auto checked =
            checkCondition(*parseFailCondition(text.toStdString()), request, &other, Progress());
        QVERIFY2(checked, checked ? "" : checked.error().message.c_str());
        QCOMPARE(checked->holds, holds);
    }

    void uncheckableConditionsAreReported()
    {
        test::RowReport now, earlier;
        now.kernel("gemm", 0, 200);
        earlier.kernel("relu", 0, 100);
        const Workspace after = now.made(), before = earlier.made();
        const ScenePtr sceneAfter = makeHeadlessScene(after, alignReports(after, {})),
                       sceneBefore = makeHeadlessScene(before, alignReports(before, {}));
        const ArgumentValues none;
        const Scope scope;
        const AnalysisRequest request{"", none, *sceneAfter, scope, {}},
            other{"", none, *sceneBefore, scope, {}};
        const auto check = [&](const char* text) {
            return checkCondition(*parseFailCondition(text), request, &other, Progress());
        };
        QVERIFY(check("cuda_gpu_kern_sum.Avg>+1%")->isVoid);
        QVERIFY(!check("cuda_gpu_kern_sum.Avg>+1%")->holds);
        QCOMPARE(check("cuda_gpu_kern_sum.Speed>1").error().kind, ErrorKind::invalid);
        QCOMPARE(check("cuda_gpu_kern_sum.Instances>1s").error().kind, ErrorKind::invalid);
        QCOMPARE(check("osrt_total>+5%")->text, std::string("osrt_total is 0, 0 before: +0.00 %"));
        for (const char* const text : {"cuda_gpu_kern_sum.>1", "nothing.Avg>1", "gpu_gaps:gap=fast>1",
                                       "kernel_total>+%", "kernel_total>+nan%"})
            QVERIFY(!parseFailCondition(text));
    }

    void everyNameCanBeMeasured() { QCOMPARE(failConditionNames().size(), size_t(11)); }
};

LOCKSTEP_TEST(FailConditionTest, "fail_condition_test")
#include "fail_condition_test.moc"
