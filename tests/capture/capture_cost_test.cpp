// SPDX-License-Identifier: Apache-2.0
// Prints the cost of recording next to that of the same program unprofiled and with an injection that does
// nothing, all in one run. No limit is asserted, because machines differ; the numbers are for people.
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kPairs = 400'000;

double costOf(const QString& injection, int threads, const std::filesystem::path& output)
{
    QProcess process;
    QProcessEnvironment environment = captureEnvironment(output, {});
    environment.insert("NVTX_INJECTION64_PATH", injection);
    process.setProcessEnvironment(environment);
    // Pauses after every 5,000 pairs, because the writer also needs a core.
    process.start(builtProgram("capture-push_pop_bench"),
                  {QString::number(kPairs), QString::number(threads), "5000"});
    if (!process.waitForFinished(kPatience_ms)) return -1;
    return process.readAllStandardOutput().toDouble();
}

} // namespace

class CaptureCostTest : public QObject {
    Q_OBJECT

  private slots:
    void costOfAPushPopPair_data()
    {
        QTest::addColumn<int>("threads");
        QTest::newRow("1 thread") << 1;
        QTest::newRow("4 threads") << 4;
    }

    void costOfAPushPopPair()
    {
        QFETCH(int, threads);
        const TempDir folder;
        const double none = costOf("", threads, folder.path());
        const double empty =
            costOf(builtProgram("../lib/libcapture-empty_injection.so"), threads, folder.path());
        const double ours = costOf(captureLibrary(), threads, folder.path());
        CapturedRun run;
        readReports(run, folder.path());
        QCOMPARE(run.reports.size(), 1u);
        const uint64_t ranges = countOf(*run.reports[0], "nvtx_pushpop");
        // Where other programs keep the writer off its core, rings fill up; lost records must be counted.
        const uint64_t made = uint64_t(threads) * (kPairs + 1);
        QVERIFY(ranges <= made);
        const uint64_t lost = noted(*run.reports[0], "capture.ring_full");
        QVERIFY2(made - ranges <= lost,
                 qPrintable(QString("%1 of %2, %3 lost").arg(ranges).arg(made).arg(lost)));
        qInfo(
            "ns a pair of push and pop, %d threads: unprofiled %.1f, empty injection %.1f, recorded %.1f; %.2f bytes a "
            "range on disk",
            threads, none, empty, ours, double(run.size_bytes) / double(ranges));
        QVERIFY(none >= 0 && empty >= 0 && ours > 0);
    }

    // Ranges as real programs have them: many names, depths and domains.
    void bytesPerVariedRange()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured(builtProgram("capture-ranges"), {"threads", "/dev/null"}, folder.path());
        uint64_t rows = 0;
        for (const auto& [kind, count] : run.reports.at(0)->rowCounts)
            rows += count;
        qInfo("%.2f bytes a range with 50 names, 4 domains, 64 KiB names and marks",
              double(run.size_bytes) / double(rows));
        QVERIFY(run.size_bytes < rows * 24);
    }
};

LOCKSTEP_TEST(CaptureCostTest, "capture_cost_test")
#include "capture_cost_test.moc"
