// SPDX-License-Identifier: Apache-2.0
// Tests a host's event log that grows: at every length it equals the report of a log of that length, and in
// the end the collected one. Also tests logs that a malicious host sends.
#include <algorithm>
#include <fstream>
#include <random>
#include <tuple>

#include <QElapsedTimer>
#include <QTest>

#include "core/readers/reader.h"
#include "core/readers/run_events/live_event_log.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kHostLogBegin_ns = 1'700'000'000'000'000'000, kLogSecond_ns = 1'000'000'000;

std::string hostLogLine(uint64_t seq, int64_t t_ns, const std::string& rest)
{
    std::string line =
        "{'seq':" + std::to_string(seq) + ",'t_ns':" + std::to_string(t_ns) + "," + rest + "}\n";
    std::replace(line.begin(), line.end(), '\'', '"');
    return line;
}
std::string gpuLine(uint64_t seq, int64_t t_ns, int busy)
{
    return hostLogLine(seq, t_ns,
                       "'kind':'gpu','cpu_percent':" + std::to_string(busy) +
                           ".5,'memory_used_bytes':7,'gpus':[{'index':1,'busy_percent':" +
                           std::to_string(busy) + ",'used_bytes':5}]");
}

// A log as an agent writes it, with rounds that a launcher adds.
std::string madeHostLog(int seconds)
{
    std::mt19937 random(7);
    std::string text = hostLogLine(1, kHostLogBegin_ns, "'kind':'started','command':0,'name':'train'");
    uint64_t seq = 1;
    for (int i = 0; i < seconds; ++i) {
        const int64_t now_ns = kHostLogBegin_ns + i * kLogSecond_ns;
        text += gpuLine(++seq, now_ns, static_cast<int>(random() % 100));
        text += hostLogLine(++seq, now_ns + 5,
                            "'kind':'stdout','command':0,'text':'\\'kind\\':\\'gpu\\'','to':3");
        if (i % 5 == 0)
            text += hostLogLine(++seq, now_ns + 9,
                                "'kind':'step','command':0,'mark':'end','step':" + std::to_string(i / 5));
        if (i % 7 == 0)
            text += hostLogLine(
                0, now_ns + 9,
                "'kind':'clock_exchange','boot':'00000000-0000-0000-0000-000000000001','raw_ns':" +
                    std::to_string(900 + i) + ",'state':'reading','wall_doubt_ns':40,'wall_ns':7");
    }
    return text + hostLogLine(++seq, kHostLogBegin_ns + seconds * kLogSecond_ns,
                              "'kind':'exit','command':0,'code':0");
}

// Returns the whole content, independent of the order of its tables.
std::vector<std::string> saidBy(const Report& report)
{
    std::vector<std::string> all;
    for (size_t i = 0; i < report.counterTracks.size(); ++i) {
        const CounterTrack& track = report.counterTracks[i];
        const std::string name(report.strings.at(track.name));
        for (uint32_t row = 0; row < track.sampleCount; ++row) {
            const size_t at = track.firstSample + row;
            all.push_back(name + " " + std::to_string(report.counters.time_ns[at]) + " " +
                          std::to_string(report.counters.value[at]));
        }
    }
    for (size_t i = 0; i < report.slices.size(); ++i)
        all.push_back(std::string(report.nameOf(SliceId(i))) + " " +
                      std::to_string(report.slices.start_ns[i]) + "+" +
                      std::to_string(report.slices.duration_ns[i]) + " " +
                      std::to_string(report.slices.source[i].packed));
    for (const ClockRound& round : report.clockRounds)
        all.push_back("round " + std::to_string(round.sent_ns) + " " +
                      std::string(report.strings.at(round.boot)));
    for (const ImportNote& note : report.notes.all())
        all.push_back(note.kind + " " + std::to_string(note.count) + " " + note.example);
    all.push_back(report.identity.host.value.value_or("nobody"));
    std::ranges::sort(all);
    return all;
}

uint64_t notedInLog(const Report& report, const char* kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return note.count;
    }
    return 0;
}

std::shared_ptr<const Report> reportOfHostLog(const test::TempDir& folder, const std::string& text)
{
    auto report = readReport(folder.write("node0.events.jsonl", text), Progress());
    if (!report) qFatal("%s", report.error().message.c_str());
    return *report;
}

size_t counterNames(const Report& report)
{
    return report.counterTracks.size();
}

} // namespace

class LiveEventLogTest : public QObject {
    Q_OBJECT

  private slots:
    void everyLengthEqualsTheFile()
    {
        const test::TempDir folder, other;
        const std::string text = madeHostLog(40);
        LiveEventLog live(folder.path() / "node0.events.jsonl");
        auto none = live.read(Progress());
        QVERIFY(none && *none == nullptr); // does not exist yet
        std::mt19937 random(3);
        size_t reports = 0;
        for (size_t size = 0; size < text.size();) {
            size = std::min(text.size(), size + 1 + random() % 700);
            folder.write("node0.events.jsonl", text.substr(0, size)); // in the middle of a line, too
            const auto report = live.read(Progress());
            QVERIFY2(report, report ? "" : report.error().message.c_str());
            if (*report == nullptr) continue;
            ++reports;
            const size_t whole = text.rfind('\n', size - 1) + 1;
            QCOMPARE(saidBy(**report), saidBy(*reportOfHostLog(other, text.substr(0, whole))));
        }
        QVERIFY(reports > 10);
        const auto again = live.read(Progress());
        QVERIFY(again && *again == nullptr); // no news: nothing is made
    }

    void outputAloneMakesNoReport()
    {
        const test::TempDir folder;
        const std::string text = gpuLine(1, kHostLogBegin_ns, 3);
        LiveEventLog live(folder.write("node0.events.jsonl", text));
        QVERIFY(*live.read(Progress()) != nullptr);
        folder.write(
            "node0.events.jsonl",
            text + hostLogLine(2, kHostLogBegin_ns + 1, "'kind':'stdout','command':0,'text':'x','to':3"));
        QVERIFY(*live.read(Progress()) == nullptr);
        folder.write("node0.events.jsonl",
                     gpuLine(1, kHostLogBegin_ns, 4).substr(0, 60)); // shorter: a different log
        QVERIFY(*live.read(Progress()) == nullptr);
        folder.write("node0.events.jsonl", gpuLine(1, kHostLogBegin_ns, 4));
        const auto report = live.read(Progress());
        QVERIFY(report && *report != nullptr);
        QCOMPARE((*report)->counters.size(), size_t(4));
    }

    // Lockstep names the counters, never a host, and there are as many as a host can have GPUs.
    void counterNamesAreFixedAndLimited()
    {
        const test::TempDir folder;
        std::string text = gpuLine(1, kHostLogBegin_ns, 3);
        std::string gpus;
        for (int i = 0; i < 4'000; ++i)
            gpus += (i > 0 ? ",{'index':" : "{'index':") + std::to_string(i) +
                    ",'name':'<b>x</b>','busy_percent':1,'<img src=x>':3}";
        text += hostLogLine(2, kHostLogBegin_ns + 1,
                            "'kind':'gpu','<b>cpu</b>':5,'gpus':[" + gpus +
                                ",{'index':-1,'busy_percent':1},{'index':1e30,'busy_percent':1},"
                                "{'index':'7','busy_percent':1},5,null]");
        const auto report = reportOfHostLog(folder, text);
        QCOMPARE(counterNames(*report), size_t(2 + 2 + EventLogRows::kMaxGpus - 1));
        for (const CounterTrack& track : report->counterTracks)
            QVERIFY(report->strings.at(track.name).find('<') == std::string_view::npos);
        QCOMPARE(notedInLog(*report, "events.gpu_number"), uint64_t(4'000 - EventLogRows::kMaxGpus + 5));
        QVERIFY(report->notes.hasDataLoss());
    }

    void invalidValues()
    {
        const test::TempDir folder;
        std::string text = gpuLine(1, kHostLogBegin_ns, 3);
        uint64_t seq = 1;
        for (const char* value : {"NaN", "1e999", "-1e999", "Infinity", "null", "'5'", "[5]", "true", "{}"})
            text +=
                hostLogLine(++seq, kHostLogBegin_ns + 1, std::string("'kind':'gpu','cpu_percent':") + value);
        const auto report = reportOfHostLog(folder, text);
        QCOMPARE(report->counters.size(), size_t(4)); // those of the first line
        // Lines that are not JSON, and lines of another kind.
        QCOMPARE(notedInLog(*report, "events.odd_line") + notedInLog(*report, "events.odd_sample"),
                 uint64_t(4 + 5));
    }

    // One line from tomorrow would make the axis a day long; a clock that was set continues.
    void futureTimestamps()
    {
        const test::TempDir folder;
        const int64_t day_ns = 86'400 * kLogSecond_ns;
        const std::string before =
            gpuLine(1, kHostLogBegin_ns, 1) + gpuLine(2, kHostLogBegin_ns + kLogSecond_ns, 2);
        const std::string after = gpuLine(4, kHostLogBegin_ns + 2 * kLogSecond_ns, 4);
        const auto extentOf = [](const Report& report) {
            const auto [first, last] = std::ranges::minmax(report.counters.time_ns);
            return last - first;
        };
        for (const int64_t stamp_ns :
             {kHostLogBegin_ns + day_ns, kHostLogBegin_ns - day_ns, int64_t(5), INT64_MAX / 4}) {
            const auto odd = reportOfHostLog(folder, before + gpuLine(3, stamp_ns, 3) + after);
            QCOMPARE(extentOf(*odd), 2 * kLogSecond_ns);
            QCOMPARE(odd->counters.size(), size_t(3 * 4));
            QCOMPARE(notedInLog(*odd, "events.far_stamp") + notedInLog(*odd, "events.odd_line"), uint64_t(1));
            const auto last =
                reportOfHostLog(folder, before + gpuLine(3, stamp_ns, 3)); // no other line confirms it
            QCOMPARE(extentOf(*last), kLogSecond_ns);
            QCOMPARE(notedInLog(*last, "events.far_stamp") + notedInLog(*last, "events.odd_line"),
                     uint64_t(1));
        }
        const auto set =
            reportOfHostLog(folder, before + gpuLine(3, kHostLogBegin_ns + day_ns, 3) +
                                        gpuLine(4, kHostLogBegin_ns + day_ns + kLogSecond_ns, 4));
        QCOMPARE(extentOf(*set), day_ns + kLogSecond_ns);
        QCOMPARE(set->counters.size(), size_t(4 * 4));
        QCOMPARE(notedInLog(*set, "events.far_stamp"), uint64_t(0));
    }

    // Ten hours of a host: the cost of a round is printed.
    void longLogStaysCheap()
    {
        const test::TempDir folder;
        std::string text = madeHostLog(36'000);
        LiveEventLog live(folder.write("node0.events.jsonl", text));
        QVERIFY(*live.read(Progress()) != nullptr);
        QElapsedTimer since;
        since.start();
        std::ofstream(live.path(), std::ios::app) << gpuLine(1, kHostLogBegin_ns + 36'001 * kLogSecond_ns, 3);
        const auto report = live.read(Progress());
        const qint64 took_ms = since.elapsed();
        QVERIFY(report && *report != nullptr);
        QCOMPARE((*report)->counters.size(), size_t(36'001 * 4));
        qInfo("one more line of %zu MB: %lld ms", text.size() >> 20, took_ms);
    }
};

LOCKSTEP_TEST(LiveEventLogTest, "live_event_log_test")
#include "live_event_log_test.moc"
