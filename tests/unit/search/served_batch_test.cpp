// SPDX-License-Identifier: Apache-2.0
// Tests what served a request: spans of the same batch in open files, kernels of the scheduler's thread, and
// what is said if these are not recorded or not certain.
#include "core/search/served_batch.h"

#include "core/trace/process_groups.h"
#include "tests/support/rank_report.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/requests_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RequestsFile;

namespace {

constexpr int64_t kServedMs = 1'000'000;

// A trace of process 1 with thread 1, which launches a kernel every 10 ms.
std::shared_ptr<const Report> schedulerTrace(const std::string& host,
                                             int64_t utcAtZero_ns = RequestsFile::kStart_ns)
{
    test::RankReport made(0, host, utcAtZero_ns);
    if (host.empty()) made.report().identity.host = {};
    for (int i = 0; i < 100; ++i) {
        made.addLaunch(i * 10 * kServedMs, static_cast<uint32_t>(i + 1));
        made.addUnstated(i * 10 * kServedMs + 5 * kServedMs, i * 10 * kServedMs + 9 * kServedMs,
                         "decode kernel", static_cast<uint32_t>(i + 1));
    }
    return made.finish();
}

std::shared_ptr<const Report> opened(const RequestsFile& file, const std::string& host = {})
{
    return test::reportOfBytes(file.text(host));
}

ScenePtr sceneOfServer(const std::vector<std::shared_ptr<const Report>>& reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

// Returns the n-th slice with this name in the first report.
SliceRef nthCalled(const Scene& scene, std::string_view name, size_t n = 0)
{
    const Report& report = scene.shown.report(ReportKey(0u));
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.nameOf(SliceId(row)) == name && n-- == 0) return {ReportKey(0u), SliceId(row)};
    }
    return {};
}

std::string textOfBatch(const std::optional<ServedBatch>& batch)
{
    std::string text;
    for (const auto& [name, value] : batch ? servedText(*batch) : decltype(servedText({}))())
        text += (text.empty() ? "" : "; ") + name + ": " + value;
    return text;
}

RequestsFile twoRequests()
{
    RequestsFile file;
    file.add("r1", {{100, 131, "b1"}, {200, 231, "b2"}});
    file.add("r2", {{102, 135, "b1"}, {300, 331, "b3"}});
    return file;
}

} // namespace

class ServedBatchTest : public QObject {
    Q_OBJECT

  private slots:
    void batchIsSharedByItsId()
    {
        const auto scene = sceneOfServer({opened(twoRequests(), "node0"), schedulerTrace("node0")});
        const SliceRef own = nthCalled(*scene, "decode_loop", 0);
        const auto batch = servedBatch(*scene, own);
        QVERIFY(batch && batch->isExact);
        // Launched at 100, 110, 120 and 130 ms.
        const std::string text = textOfBatch(batch);
        QVERIFY2(text.starts_with("batch: shared by 2 requests; kernels: 4 launched by thread 1"),
                 text.c_str());
        QCOMPARE(batch->slices->size(), size_t(5));
        QVERIFY(batch->slices->front() == nthCalled(*scene, "decode_loop", 1));
        QCOMPARE(batch->kernels, size_t(4));
    }

    void wholeRequestHasAllItsBatches()
    {
        const auto scene = sceneOfServer({opened(twoRequests(), "node0"), schedulerTrace("node0")});
        const auto batch = servedBatch(*scene, nthCalled(*scene, "request r1"));
        QVERIFY(batch && batch->isExact);
        QCOMPARE(batch->batches, size_t(2));
        QCOMPARE(batch->requests, size_t(2));
        QCOMPARE(batch->kernels, size_t(8)); // 100 to 130 and 200 to 230 ms
        QVERIFY(textOfBatch(batch).starts_with("2 batches: shared by 2 requests; "));
    }

    // A collector starts a new file now and then.
    void spansOfOtherFilesCount()
    {
        RequestsFile first, second;
        first.add("r1", {{100, 131, "b1", 3}});
        second.add("r2", {{102, 135, "b1", 3}});
        const auto scene = sceneOfServer({opened(first, "node0"), opened(second, "node0")});
        const auto batch = servedBatch(*scene, nthCalled(*scene, "decode_loop"));
        QCOMPARE(textOfBatch(batch),
                 std::string("batch: shared by 3 requests (2 in open reports); kernels: no "
                             "trace is open that has thread 1 of host machine0"));
        QVERIFY(batch->slices->size() == 1 && batch->slices->front().report == ReportKey(1u));
    }

    void threadMustBeOfTheHost_data()
    {
        QTest::addColumn<QString>("server");
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("text");
        QTest::newRow("other host") << "node0"
                                    << "node1"
                                    << "no trace of this host is open; thread 1 exists on other hosts";
        QTest::newRow("server unknown")
            << ""
            << "node0"
            << "not certain: a trace has thread 1, but a host is not known; set it in Identities";
        QTest::newRow("trace unknown")
            << "node0"
            << ""
            << "not certain: a trace has thread 1, but a host is not known; set it in Identities";
        QTest::newRow("host id") << ""
                                 << "machine0"
                                 << "4 launched by thread 1";
    }

    void threadMustBeOfTheHost()
    {
        QFETCH(QString, server);
        QFETCH(QString, trace);
        QFETCH(QString, text);
        const auto scene =
            sceneOfServer({opened(twoRequests(), server.toStdString()), schedulerTrace(trace.toStdString())});
        const auto batch = servedBatch(*scene, nthCalled(*scene, "decode_loop"));
        const std::string all = textOfBatch(batch);
        QVERIFY2(all.starts_with("batch: shared by 2 requests; kernels: " + text.toStdString()), all.c_str());
    }

    void unalignedTraceHasNoKernels()
    {
        const auto scene = sceneOfServer({opened(twoRequests(), "node0"), schedulerTrace("node0", 0)});
        const auto batch = servedBatch(*scene, nthCalled(*scene, "decode_loop"));
        QVERIFY(batch->state == BatchKernels::notAligned && batch->kernels == 0);
    }

    // The first span of a request may contain the instants of two batches, because the scheduler starts the
    // second one before it has the result of the first.
    void spanMayHaveSeveralBatches()
    {
        RequestsFile file;
        file.add("r1", {{100, 131, "b1"}, {131, 160, "b2"}});
        file.add("r2", {{100, 131, "b1"}});
        file.add("r3", {{131, 160, "b2"}});
        const auto scene = sceneOfServer({opened(file, "node0")});
        const Report& report = scene->shown.report(ReportKey(0u));
        const auto whole = servedBatch(*scene, nthCalled(*scene, "request r1"));
        QCOMPARE(whole->batches, size_t(2));
        QCOMPARE(whole->requests, size_t(3));
        const auto instant = servedBatch(*scene, nthCalled(*scene, "schedule", 2));
        QVERIFY(instant && instant->batches == 1 && instant->requests == 2);
        QVERIFY(report.nameOf(instant->slices->front().slice) == "decode_loop");
    }

    // Without ids of batches nothing is highlighted.
    void otherwiseOnlyTimeIsKnown()
    {
        RequestsFile file;
        file.add("r1", {{100, 131, ""}});
        file.add("r2", {{102, 135, ""}});
        file.add("r3", {{500, 535, ""}});
        const auto scene = sceneOfServer({opened(file, "node0"), schedulerTrace("node0")});
        const auto batch = servedBatch(*scene, nthCalled(*scene, "decode_loop"));
        QCOMPARE(textOfBatch(batch), std::string("batch: not recorded; by time only: 1 other request of this "
                                                 "server at that time"));
        QVERIFY(batch->slices == nullptr);
    }

    void otherSlicesHaveNone()
    {
        const auto scene = sceneOfServer({opened(twoRequests(), "node0"), schedulerTrace("node0")});
        QVERIFY(!servedBatch(*scene, nthCalled(*scene, "Scheduler [TP 0]")));
        QVERIFY(!servedBatch(*scene, {ReportKey(1u), SliceId(0u)}));
        QVERIFY(!servedBatch(*scene, {}));
    }
};

LOCKSTEP_TEST(ServedBatchTest, "served_batch_test")
#include "served_batch_test.moc"
