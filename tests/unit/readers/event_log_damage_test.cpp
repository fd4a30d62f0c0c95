// SPDX-License-Identifier: Apache-2.0
// Tests damaged event logs: missing or broken lines are counted with the first example; intact ones are not.
#include <string>
#include <vector>

#include <QTest>

#include "core/readers/reader.h"
#include "tests/support/damage_account.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::noteCount;
using lockstep::test::TempDir;

namespace {

constexpr int64_t kBegin_ns = 1'700'000'000'000'000'000;

std::string line(uint64_t seq, const std::string& rest)
{
    return R"({"seq":)" + std::to_string(seq) + R"(,"t_ns":)" +
           std::to_string(kBegin_ns + int64_t(seq) * 1'000'000) + "," + rest + "}\n";
}

std::string output(uint64_t seq)
{
    return line(seq, "\"kind\":\"stdout\",\"command\":0,\"text\":\"a {\\\"b\\\" [\\\\n\",\"to\":3");
}

std::string started(uint64_t seq)
{
    return line(seq, R"("kind":"started","command":0,"name":"train")");
}

std::string ended(uint64_t seq)
{
    return line(seq, R"("kind":"exit","command":0,"code":0)") +
           line(seq + 1, R"("kind":"exit","run":true,"code":0)");
}

std::shared_ptr<const Report> read(const std::string& text)
{
    const TempDir folder;
    return readReport(folder.write("node0.events.jsonl", text), Progress()).value();
}

std::string exampleOf(const Report& report, std::string_view kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return note.example;
    }
    return {};
}

} // namespace

class EventLogDamageTest : public QObject {
    Q_OBJECT

  private slots:
    void wholeLogHasNoNotes()
    {
        // The launcher adds lines of its own with the number 0.
        const auto report =
            read(started(1) + output(2) +
                 line(0, R"("kind":"clock_exchange","state":"reachable","peer":"b")") + output(3) + ended(4));
        QCOMPARE(report->notes.all().size(), size_t(0));
    }

    void missingEventsAreCounted()
    {
        const auto report = read(started(1) + output(2) + output(8) + output(9) + output(12) + ended(13));
        QCOMPARE(noteCount(*report, "events.missing"), uint64_t(7));
        QCOMPARE(exampleOf(*report, "events.missing"), std::string("3 to 7, before line 3"));
        QVERIFY(report->notes.hasDataLoss());
    }

    void missingBeginAndGapBeforeTheLastLineAreCounted()
    {
        QCOMPARE(noteCount(*read(output(4) + ended(5)), "events.missing"), uint64_t(3));
        QCOMPARE(noteCount(*read(started(1) + output(5)), "events.missing"), uint64_t(3));
    }

    // One number with a flipped bit is one damaged line, not a thousand that are missing.
    void damagedNumberIsNotAGap()
    {
        const auto report = read(started(1) + output(2) + output(1'003) + output(4) + ended(5));
        QCOMPARE(noteCount(*report, "events.missing"), uint64_t(0));
        QCOMPARE(noteCount(*report, "events.odd_number"), uint64_t(1));
        QCOMPARE(exampleOf(*report, "events.odd_number"), std::string("line 3"));
    }

    void repeatedLinesAreCounted()
    {
        const auto report = read(started(1) + output(2) + output(2) + output(3) + ended(4));
        QCOMPARE(noteCount(*report, "events.repeated"), uint64_t(1));
        QCOMPARE(noteCount(*report, "events.missing"), uint64_t(0));
    }

    void brokenLinesAreCounted_data()
    {
        QTest::addColumn<std::string>("text");
        const std::string whole = output(2);
        QTest::newRow("truncated in the middle") << whole.substr(0, whole.size() / 2) + "\n";
        QTest::newRow("truncated before its end") << whole.substr(0, whole.size() - 2) + "\n";
        QTest::newRow("another line after it") << whole.substr(0, whole.size() - 1) + whole.substr(7);
        QTest::newRow("zeros in it") << whole.substr(0, 60) + std::string(8, '\0') + whole.substr(60);
        QTest::newRow("not a number") << R"({"seq":x)" + whole.substr(8);
        QTest::newRow("truncated sample") << line(2, R"("kind":"gpu","cpu_percent":)");
    }
    void brokenLinesAreCounted()
    {
        QFETCH(std::string, text);
        const auto report = read(started(1) + text + output(3) + ended(4));
        QCOMPARE(noteCount(*report, "events.odd_line"), uint64_t(1));
        QCOMPARE(noteCount(*report, "events.missing"), uint64_t(0));
        QCOMPARE(exampleOf(*report, "events.odd_line"), std::string("line 2"));
    }

    void undrawableEventsAreCounted()
    {
        const auto report = read(started(1) + started(2) + line(3, R"("kind":"gpu","cpu_percent":"busy")") +
                                 line(4, R"("kind":"exit","command":5,"code":0)") + ended(5));
        QCOMPARE(noteCount(*report, "events.odd_start"), uint64_t(1));
        QCOMPARE(noteCount(*report, "events.odd_sample"), uint64_t(1));
        QCOMPARE(noteCount(*report, "events.no_start"), uint64_t(1));
    }

    // Truncated at the end of a line, a log looks like one of a run that continues.
    void logWithoutItsEndIsReported()
    {
        QCOMPARE(noteCount(*read(started(1) + output(2)), "events.no_end"), uint64_t(1));
    }
};

LOCKSTEP_TEST(EventLogDamageTest, "event_log_damage_test")
#include "event_log_damage_test.moc"
