// SPDX-License-Identifier: Apache-2.0
// Tests launches of Kineto traces: one link for each, whatever the name of the flow in that version; in a
// merged trace links stay within the launching rank, although the ids of ranks are the same.
#include "core/trace/report.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// A call and its kernel, with the flow between them; pids as given.
std::string launch(const std::string& cpu, const std::string& gpu, const std::string& category,
                   const std::string& name)
{
    const std::string flow = R"("id":5,"cat":")" + category + R"(","name":")" + name + R"(")";
    return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":)" + cpu +
           R"(,"tid":9,"ts":10,"dur":4,"args":{"correlation":5}},)"
           R"({"ph":"s","pid":)" +
           cpu + R"(,"tid":9,"ts":10,)" + flow + R"(},{"ph":"X","cat":"kernel","name":"gemm","pid":)" + gpu +
           R"(,"tid":7,"ts":20,"dur":30,"args":{"device":0,"stream":7,"correlation":5}},)"
           R"({"ph":"f","bp":"e","pid":)" +
           gpu + R"(,"tid":7,"ts":20,)" + flow + "}";
}

std::string trace(const std::string& events)
{
    return R"({"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":2},"traceEvents":[)" + events +
           "]}";
}

} // namespace

class KinetoLaunchesTest : public QObject {
    Q_OBJECT

  private slots:
    void oneLinkForEachLaunch_data()
    {
        QTest::addColumn<QString>("category");
        QTest::addColumn<QString>("name");
        QTest::newRow("2020") << "async"
                              << "launch";
        QTest::newRow("2021-08") << "async_gpu"
                                 << "cudaLaunchKernel";
        QTest::newRow("2021-11") << "async_cpu_to_gpu"
                                 << "async_gpu";
        QTest::newRow("2022-10") << "ac2g"
                                 << "ac2g";
    }

    void oneLinkForEachLaunch()
    {
        QFETCH(QString, category);
        QFETCH(QString, name);
        const auto report =
            reportOfBytes(trace(launch("80", "0", category.toStdString(), name.toStdString())));
        QCOMPARE(report->links.size(), size_t(1));
        QCOMPARE(report->links.all().front().kind, LinkKind::launch);
    }

    // SGLang's merger puts the rank before each pid and keeps the correlation ids.
    void mergedTraceKeepsRanksSeparate()
    {
        const auto report =
            reportOfBytes(trace(launch(R"("[TP00] 80")", R"("[TP00] 0")", "ac2g", "ac2g") + "," +
                                launch(R"("[TP01] 81")", R"("[TP01] 0")", "ac2g", "ac2g")));
        QCOMPARE(report->links.size(), size_t(2));
        QVERIFY(!report->identity.rank.isKnown());
        QCOMPARE(report->devices.size(), size_t(2));
        for (const Link& link : report->links.all())
            QCOMPARE(report->track(report->trackOf(link.cause)).key.process,
                     report->track(report->trackOf(link.effect)).key.process);
        QVERIFY(!report->notes.all().empty());
        QCOMPARE(report->notes.all().back().kind, std::string("trace.merged"));
    }

    void oneRankIsNotMerged()
    {
        const auto report = reportOfBytes(trace(launch("80", "0", "ac2g", "ac2g")));
        QCOMPARE(report->identity.rank.value.value_or(-1), 0);
        QVERIFY(report->notes.all().empty());
    }
};

LOCKSTEP_TEST(KinetoLaunchesTest, "kineto_launches_test")
#include "kineto_launches_test.moc"
