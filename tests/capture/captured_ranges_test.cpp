// SPDX-License-Identifier: Apache-2.0
// Tests that every range of real programs is recorded with thread, domain, depth and name, as in the
// programs' own logs, and that the programs are not affected.
#include <set>

#include <QDateTime>

#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Returns the first lines that differ, for a failure message.
QByteArray firstDifference(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at])
        ++at;
    const auto shown = [at](const std::vector<std::string>& lines) {
        return QByteArray::fromStdString(at < lines.size() ? lines[at].substr(0, 100) : "nothing");
    };
    return QByteArray::number(qulonglong(a.size())) + " rows for " +
           QByteArray::number(qulonglong(b.size())) + " calls; '" + shown(a) + "' for '" + shown(b) + "'";
}

} // namespace

class CapturedRangesTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRangeIsRecorded_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("status");
        QTest::addColumn<size_t>("reports");
        for (const char* const program : {"capture-ranges", "capture-ranges_nvtx3"}) {
            if (!std::filesystem::exists(builtProgram(program).toStdString())) continue;
            const auto row = [&](const char* mode, int status, size_t reports) {
                QTest::addRow("%s %s", program, mode) << program << mode << status << reports;
            };
            row("plain", 0, 1);
            row("threads", 0, 1);
            row("storm", 0, 1);
            row("fork", 0, 4);
            row("exec", 0, 2);
            row("early", 7, 1);
        }
    }

    void everyRangeIsRecorded()
    {
        QFETCH(QString, program);
        QFETCH(QString, mode);
        const TempDir folder;
        const std::filesystem::path log = folder.path() / "log";
        const CapturedRun run = runCaptured(builtProgram(program.toUtf8()),
                                            {mode, QString::fromStdString(log)}, folder.path() / "out");
        QTEST(run.status, "status");
        QCOMPARE(run.output, QByteArray());
        QCOMPARE(run.errors, QByteArray());
        QVERIFY2(run.log.empty(), run.log.c_str());
        QVERIFY2(run.problem.empty(), run.problem.c_str());
        QTEST(run.reports.size(), "reports");
        std::vector<std::string> rows, calls = linesOf(contentOf(log));
        for (const auto& report : run.reports) {
            const std::vector<std::string> lines = rangeLines(*report);
            rows.insert(rows.end(), lines.begin(), lines.end());
            QCOMPARE(noted(*report, "capture.ring_full") + noted(*report, "spool.pop_without_push"), 0u);
        }
        std::ranges::sort(rows);
        std::ranges::sort(calls);
        QVERIFY(!calls.empty());
        QVERIFY2(rows == calls, firstDifference(rows, calls));
    }

    void threadsDomainsAndColorsAreRecorded()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(
            builtProgram("capture-ranges"), {"threads", QString::fromStdString(folder.path() / "log")},
            folder.path() / "out", {{"RANK", "3"}, {"LOCKSTEP_ALL_RANKS", "1"}});
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        std::set<std::string> threads;
        for (const Thread& thread : report.threads)
            threads.emplace(report.strings.at(thread.name));
        for (const char* const name : {"worker 0", "worker 1", "worker 2", "worker 3"})
            QVERIFY2(threads.count(name) == 1, name);
        QVERIFY(!report.colors.empty());
        QCOMPARE(report.colors[0].second, 0x00FF00u);
        QCOMPARE(report.identity.rank.value, std::optional<int>(3));
        QVERIFY2(run.names[0].find("_rank3_") != std::string::npos, run.names[0].c_str());
        QCOMPARE(factOf(report, "CUDA"), std::string("this process has not used CUDA"));
        QVERIFY(report.clock.utcAtZero_ns.has_value());
        const int64_t begin_ns = *report.clock.utcAtZero_ns + report.session.begin.ns;
        QVERIFY(std::abs(begin_ns / 1'000'000'000 - QDateTime::currentSecsSinceEpoch()) < 60);
    }

    void childrenCanBeExcluded()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-ranges"),
                                            {"fork", QString::fromStdString(folder.path() / "log")},
                                            folder.path() / "out", {{"LOCKSTEP_CAPTURE_CHILDREN", "0"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
    }
};

LOCKSTEP_TEST(CapturedRangesTest, "captured_ranges_test")
#include "captured_ranges_test.moc"
