// SPDX-License-Identifier: Apache-2.0
// Tests that a program that calls NVTX in signal handlers behaves as without the library, and that each range
// is in the report or counted as lost.
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

class CapturedSignalsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyPairIsRecordedOrCounted_data()
    {
        QTest::addColumn<QString>("mode");
        for (const char* const mode : {"alarm", "prof", "names", "threads", "stack", "jump"})
            QTest::newRow(mode) << mode;
    }

    void everyPairIsRecordedOrCounted()
    {
        QFETCH(QString, mode);
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-signals"), {mode}, folder.path());
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors, QByteArray());
        QVERIFY2(run.problem.empty(), run.problem.c_str());
        QCOMPARE(run.reports.size(), 1u);
        const QByteArrayList made = run.output.trimmed().split(' ');
        QCOMPARE(made.size(), 2);
        const auto pairs = made[0].toULongLong();
        QVERIFY(made[1].toULongLong() > 0); // handlers that ran
        const auto& report = *run.reports[0];
        const uint64_t rows = countOf(report, "nvtx_pushpop");
        const uint64_t inHandler = noted(report, "capture.in_handler");
        const uint64_t lost =
            inHandler + noted(report, "capture.ring_full") + noted(report, "capture.no_ring");
        qInfo("%s: %llu pairs, %llu handlers; %llu rows, %llu records lost, %llu of them in handlers",
              qPrintable(mode), pairs, made[1].toULongLong(), static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(lost), static_cast<unsigned long long>(inHandler));
        QVERIFY2(rows <= pairs, "records that the program did not make");
        QVERIFY2(rows + lost >= pairs, "pairs that are neither there nor counted");
        QCOMPARE(noted(report, "capture.ring_damaged"), 0u);
        QCOMPARE(noted(report, "spool.not_ended"), 0u);
    }

    // Range names open and close reports under a lock, which the interrupted thread may hold.
    void stepsAreRecordedAmongHandlers()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-signals"), {"steps"}, folder.path(),
                                            {{"LOCKSTEP_STEPS", "5-30"}});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.problem.empty(), run.problem.c_str());
        QVERIFY(!run.reports.empty());
    }
};

LOCKSTEP_TEST(CapturedSignalsTest, "captured_signals_test")
#include "captured_signals_test.moc"
