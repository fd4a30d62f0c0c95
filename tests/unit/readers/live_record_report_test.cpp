// SPDX-License-Identifier: Apache-2.0
// Tests files with sample records that grow: their reports equal those of files of that length, and other
// formats are refused.
#include <fstream>

#include <QTest>

#include "core/readers/live_records.h"
#include "core/readers/reader.h"
#include "tests/support/report_compare.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string requestRow(int number)
{
    const std::string id = std::to_string(number);
    return R"({"session_id": ")" + id + R"(", "rank": 0, "status": "completed", "submit_ts": )" + id +
           R"(.25, "finalized_ts": )" + std::to_string(number + 3) + ".5}\n";
}

} // namespace

class LiveRecordReportTest : public QObject {
    Q_OBJECT

  private slots:
    void reportGrowsWithTheFile()
    {
        const TempDir folder;
        std::string text;
        LiveRecords live;
        for (int number = 1; number <= 5; ++number) {
            text += requestRow(number);
            const auto path = folder.write("sessions-r0.jsonl", text);
            live.follow({{path, text.size()}});
            const auto report = live.read(Progress());
            QVERIFY(report && *report);
            QCOMPARE((*report)->samples.samples.size(), static_cast<size_t>(number));
            QCOMPARE((*report)->chunk, std::optional<uint64_t>(0));
            QVERIFY((*report)->notes.all().empty());
            const auto whole = readReport(path, Progress());
            QVERIFY(whole && !(*whole)->chunk);
            QCOMPARE(firstDifference(**report, **whole), std::string());
            QVERIFY(*live.read(Progress()) == nullptr);
        }
    }

    void nothingBeforeTheFirstLine()
    {
        const TempDir folder;
        LiveRecords live;
        QVERIFY(*live.read(Progress()) == nullptr);
        live.follow({{folder.write("sessions-r0.jsonl", ""), 0}});
        QVERIFY(*live.read(Progress()) == nullptr);
    }

    // While another thread appends, the end of the file may be within a line.
    void aLineThatIsBeingWritten()
    {
        const TempDir folder;
        LiveRecords live;
        const std::string text = requestRow(1) + requestRow(2);
        const auto path = folder.write("sessions-r0.jsonl", text + requestRow(3).substr(0, 20));
        live.follow({{path, text.size()}});
        QVERIFY(*live.read(Progress()) == nullptr);
        folder.write("sessions-r0.jsonl", text + requestRow(3));
        live.follow({{path, text.size() + requestRow(3).size()}});
        QCOMPARE((*live.read(Progress()))->samples.samples.size(), size_t(3));
        // If nothing more arrives, the line is damaged, and the others are shown.
        folder.write("sessions-r0.jsonl", text + requestRow(3) + requestRow(4).substr(0, 20) + "\n");
        live.follow({{path, text.size() + requestRow(3).size() + 21}});
        auto report = live.read(Progress());
        QVERIFY(report);
        if (*report == nullptr) report = live.read(Progress());
        QVERIFY(*report != nullptr);
        QCOMPARE((*report)->samples.samples.size(), size_t(3));
        QVERIFY((*report)->notes.hasDataLoss());
    }

    void traceEventsByTheLine()
    {
        const TempDir folder;
        LiveRecords live;
        const std::string text = R"({"name": "rollout", "ph": "X", "ts": 100, "dur": 50, "pid": 1, "tid": 1})"
                                 "\n"
                                 R"({"name": "train", "ph": "X", "ts": 160, "dur": 5, "pid": 1, "tid": 1})"
                                 "\n";
        live.follow({{folder.write("traces-r0.jsonl", text), text.size()}});
        const auto report = live.read(Progress());
        QVERIFY(report && *report);
        QCOMPARE((*report)->slices.size(), size_t(2));
        QVERIFY(!(*report)->notes.hasDataLoss());
    }

    // A recording continues in another file, and its first file is replaced by a shorter copy.
    void filesOfARecording()
    {
        const TempDir folder;
        LiveRecords live;
        const std::string first = requestRow(1) + requestRow(2), second = requestRow(3);
        const auto a = folder.write("1/requests.jsonl", first);
        live.follow({{a, first.size()}, {folder.write("2/requests.1.jsonl", ""), 0}});
        QCOMPARE((*live.read(Progress()))->samples.samples.size(), size_t(2));
        const auto b = folder.write("2/requests.1.jsonl", second);
        live.follow({{a, first.size()}, {b, second.size()}});
        QCOMPARE((*live.read(Progress()))->samples.samples.size(), size_t(3));
        QVERIFY(*live.read(Progress()) == nullptr);
        const auto shorter = folder.write("3/requests.jsonl", requestRow(2));
        live.follow({{shorter, requestRow(2).size()}, {b, second.size()}});
        const auto report = live.read(Progress());
        QCOMPARE((*report)->samples.samples.size(), size_t(2));
        QCOMPARE((*report)->chunk, std::optional<uint64_t>(0));
    }

    // Only formats of lines are read while they grow, whatever a host sends.
    void otherFormats()
    {
        const TempDir folder;
        LiveRecords live;
        for (const std::string& text : {std::string("SQLite format 3\0", 16) + std::string(4096, '\0'),
                                        std::string("PK\x03\x04 archive"), std::string("text\n")}) {
            const auto path = folder.write("sessions-r0.jsonl", text);
            live.follow({{path, text.size()}});
            QVERIFY(!live.read(Progress()));
        }
    }
};

LOCKSTEP_TEST(LiveRecordReportTest, "live_record_report_test")
#include "live_record_report_test.moc"
