// SPDX-License-Identifier: Apache-2.0
// Tests what `lockstep-agent live` sends of files with sample records that grow, are cut, replaced or
// removed, have lines of any length, or are too many, and of rollout dumps.
#include <filesystem>
#include <fstream>

#include <QTest>

#include "capture/agent/live_records.h"
#include "capture/agent/live_sender.h"
#include "capture/agent/sample_files.h"
#include "core/readers/capture_spool/live_stream.h"
#include "tests/support/made_spool.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
using agent::LiveRecords;
using agent::LiveRecordsOptions;
namespace fs = std::filesystem;

namespace {

const std::string kSession = R"({"session_id": "s1", "submit_ts": 1.5, "n": )";

// A row of an AReaL session log, of at least that many bytes.
std::string row(int number, size_t bytes = 0)
{
    std::string text = kSession + std::to_string(number) + "}";
    if (text.size() + 1 < bytes) text.insert(text.size() - 1, std::string(bytes - text.size() - 1, ' '));
    return text + "\n";
}

std::string rows(int first, int last, size_t bytes = 0)
{
    std::string text;
    for (int number = first; number <= last; ++number)
        text += row(number, bytes);
    return text;
}

std::string goldenDump()
{
    std::ifstream file(sourceFolder() / "tests/golden/samples/12.pt", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Polls the records of a folder until nothing more is sent.
class RecordSending {
  public:
    explicit RecordSending(LiveRecordsOptions options = {}) : records(std::move(options)) {}

    std::vector<LiveFrame> frames()
    {
        std::vector<fs::path> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
            if (LiveRecords::canBeRecords(entry.path())) found.push_back(entry.path());
        }
        records.find(found, lastNumber);
        records.poll();
        LiveFrames parser;
        for (bool isSending = true; isSending;) {
            std::string bytes = records.nextMessage();
            if (bytes.empty()) bytes = records.nextLines();
            isSending = !bytes.empty();
            parser.add(bytes);
        }
        std::vector<LiveFrame> all;
        while (auto frame = parser.next())
            all.push_back(*frame);
        return all;
    }
    // Lines as the positions where they begin and end.
    std::string text()
    {
        std::string text;
        for (const LiveFrame& frame : frames()) {
            text += frame.kind;
            const uint64_t position = countAt(frame.head, "position");
            if (frame.kind == "records") text += " from " + std::to_string(position);
            if (frame.kind == "lines")
                text +=
                    " " + std::to_string(position) + ".." + std::to_string(position + frame.payload.size());
            if (frame.kind == "skipped")
                text += " " + std::to_string(countAt(frame.head, "bytes_skipped")) + " " +
                        textAt(frame.head, "why");
            if (frame.kind == "note") text += " " + textAt(frame.head, "word");
            text += "; ";
        }
        return text;
    }
    void append(const std::string& name, const std::string& more) const
    {
        std::ofstream(folder.path() / name, std::ios::app) << more;
    }

    TempDir folder;
    LiveRecords records;
    uint64_t lastNumber = 0;
};

} // namespace

class LiveRecordsTest : public QObject {
    Q_OBJECT

  private slots:
    void onlyCompleteLinesAreSent()
    {
        RecordSending live;
        live.append("sessions-r0.jsonl", row(1).substr(0, 20));
        QCOMPARE(live.text(), "");
        live.append("sessions-r0.jsonl", row(1).substr(20) + row(2).substr(0, 7));
        const size_t size = row(1).size();
        QCOMPARE(live.text(), "records from 0; lines 0.." + std::to_string(size) + "; ");
        QCOMPARE(live.text(), "");
        live.append("sessions-r0.jsonl", row(2).substr(7));
        QCOMPARE(live.text(), "lines " + std::to_string(size) + ".." + std::to_string(2 * size) + "; ");
        QVERIFY(live.records.isAllSent());
    }

    void otherFilesAreNotSent()
    {
        RecordSending live;
        live.folder.write("train.log", "step 1 loss 0.5\nstep 2 loss 0.4\n");
        live.folder.write("one.json", "{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n]}\n");
        live.folder.write("array.json", "[\n{\"ph\": \"X\", \"ts\": 1}\n]\n");
        live.folder.write("config.json", "{\"session_id\": 1,\n\"submit_ts\": 2}\n");
        live.folder.write("samples.txt", row(1));
        live.folder.write("long.jsonl", "{\"session_id\": \"" + std::string(100'000, 'x'));
        live.folder.write("empty.jsonl", "");
        fs::create_symlink("/dev/zero", live.folder.path() / "zero.jsonl");
        fs::create_directory(live.folder.path() / "folder.jsonl");
        QCOMPARE(live.text(), "");
        live.folder.write("trace.jsonl", "{\"name\": \"rollout\", \"ph\": \"X\", \"ts\": 1}\n");
        live.folder.write("requests.log", row(1));
        live.folder.write("mark.jsonl", "\xEF\xBB\xBF" + row(1));
        const auto frames = live.frames();
        QCOMPARE(std::ranges::count(frames, "records", &LiveFrame::kind), 3);
    }

    void filesOfAnEarlierRunAreNotSent()
    {
        LiveRecordsOptions options;
        options.notBefore_ns = 2'000'000'000'000'000'000;
        RecordSending live(options);
        live.append("sessions-r0.jsonl", row(1));
        QCOMPARE(live.text(), "");
    }

    // All hosts that see a file on a shared disk give it the same id, also in a later stream.
    void resumesFromTheMissingLine()
    {
        RecordSending first;
        first.append("sessions-r0.jsonl", rows(1, 4));
        const std::string id = textAt(first.frames().front().head, "id");
        LiveRecordsOptions options;
        options.have[id] = 2 * row(1).size();
        LiveRecords again(options);
        uint64_t number = 7;
        again.find({first.folder.path() / "sessions-r0.jsonl"}, number);
        again.poll();
        LiveFrames parser;
        parser.add(again.nextMessage());
        parser.add(again.nextLines());
        const auto announced = parser.next(), lines = parser.next();
        QVERIFY(announced && lines);
        QCOMPARE(textAt(announced->head, "id"), id);
        QCOMPARE(countAt(announced->head, "file"), uint64_t(8));
        QCOMPARE(lines->payload, rows(3, 4));
        first.append("sessions-r1.jsonl", rows(1, 4));
        QVERIFY(textAt(first.frames().front().head, "id") != id);
    }

    void dumpIsSentOnceItIsComplete()
    {
        RecordSending live;
        const std::string dump = goldenDump();
        live.append("12.pt", dump.substr(0, dump.size() / 2));
        QCOMPARE(live.text(), "");
        live.append("12.pt", dump.substr(dump.size() / 2));
        QCOMPARE(live.text(), "records from 0; lines 0.." + std::to_string(dump.size()) + "; done; ");
        QVERIFY(live.records.isAllSent());
        QCOMPARE(live.text(), "");
        // A restarted run overwrites it.
        fs::resize_file(live.folder.path() / "12.pt", 0);
        QCOMPARE(live.text(), "note truncated; ");
        live.append("12.pt", dump + dump.substr(dump.size() - 22));
        QCOMPARE(live.text(), "records from 0; lines 0.." + std::to_string(dump.size() + 22) + "; done; ");
    }

    // A dump counts neither as waiting lines, nor is a part of it skipped.
    void dumpIsNeverSkipped()
    {
        LiveRecordsOptions options;
        options.maxWaiting_bytes = 1000;
        RecordSending live(options);
        const std::string dump = goldenDump();
        QVERIFY(dump.size() > 2000);
        live.append("12.pt", dump);
        live.append("sessions-r0.jsonl", rows(1, 5, 100));
        const std::string text = live.text();
        QVERIFY2(text.find("skipped") == std::string::npos, text.c_str());
    }

    void otherArchivesAreNotSent()
    {
        RecordSending live;
        std::string weights = goldenDump();
        for (size_t at = 0; (at = weights.find("rollout_id", at)) != std::string::npos;)
            weights.replace(at, 10, "state_dict");
        live.append("model.pt", weights);
        live.append("notes.pt", "PK");
        QCOMPARE(live.text(), "");
        std::string large = goldenDump();
        large.insert(large.size() - 22, std::string(LiveRecords::kMaxDump_bytes, '\0'));
        live.append("13.pt", large);
        QCOMPARE(live.text(), "note large; ");
        QCOMPARE(live.text(), "");
        QVERIFY(live.records.isAllSent());
    }

    // The first lines describe the rest of the file. After them, only the newest are sent.
    void startSendsTheFirstAndTheNewestLines()
    {
        LiveRecordsOptions options;
        options.maxWaiting_bytes = 10'000;
        RecordSending live(options);
        live.append("sessions-r0.jsonl", rows(1, 1000, 100));
        QCOMPARE(live.text(), "records from 0; lines 0..4000; skipped 86000 written before watching started; "
                              "lines 90000..100000; ");
        live.append("sessions-r0.jsonl", rows(1, 300, 100));
        QCOMPARE(live.text(), "skipped 20000 above the rate limit; lines 120000..130000; ");
        QVERIFY(live.records.isAllSent());
    }

    void filesShareWhatMayWait()
    {
        LiveRecordsOptions options;
        options.maxWaiting_bytes = 10'000;
        RecordSending live(options);
        for (const char* name : {"sessions-r0.jsonl", "sessions-r1.jsonl"})
            live.append(name, row(1, 100));
        (void)live.frames();
        live.append("sessions-r0.jsonl", rows(1, 300, 100));
        live.append("sessions-r1.jsonl", rows(1, 100, 100));
        uint64_t sent = 0, skipped = 0;
        for (const LiveFrame& frame : live.frames()) {
            sent += frame.payload.size();
            skipped += countAt(frame.head, "bytes_skipped");
        }
        QCOMPARE(sent + skipped, uint64_t(40'000));
        QCOMPARE(sent, uint64_t(10'000));
    }

    void linesLongerThanAFrame()
    {
        LiveRecordsOptions options;
        options.maxWaiting_bytes = 1e9;
        RecordSending live(options);
        const size_t large = 2 * LiveRecords::kFrame_bytes, excessive = LiveRecords::kMaxLine_bytes + 1000;
        live.append("a.jsonl", row(1, 5000) + row(2, large) + row(3, excessive) + row(4, 5000));
        std::string received;
        uint64_t skipped = 0;
        for (int i = 0; i < 2; ++i) {
            for (const LiveFrame& frame : live.frames()) {
                received += frame.payload;
                skipped += countAt(frame.head, "bytes_skipped");
            }
        }
        QCOMPARE(received.size(), row(1, 5000).size() + large + row(4, 5000).size());
        QVERIFY(received == row(1, 5000) + row(2, large) + row(4, 5000));
        QCOMPARE(skipped, excessive);
    }

    void truncatedReplacedAndDeletedFiles()
    {
        RecordSending live;
        live.append("a.jsonl", rows(1, 3));
        live.append("b.jsonl", rows(1, 3));
        (void)live.frames();
        live.folder.write("a.jsonl", row(7));
        std::string text = live.text();
        QCOMPARE(text, "note truncated; done; ");
        const std::string all = "records from 0; lines 0.." + std::to_string(row(7).size()) + "; ";
        QCOMPARE(live.text(), all);
        fs::rename(live.folder.write("new", row(8)), live.folder.path() / "b.jsonl");
        text = live.text();
        text += live.text();
        // The new file may be found before the old one is known to be replaced.
        QVERIFY2(text == all + "note replaced; done; " || text == "note replaced; done; " + all,
                 text.c_str());
        fs::remove(live.folder.path() / "b.jsonl");
        QCOMPARE(live.text(), "note vanished; done; ");
    }

    // Each call examines a part of many other files.
    void recordsAmongManyFiles()
    {
        RecordSending live;
        for (int i = 0; i < 5000; ++i)
            live.append(std::to_string(i) + ".json", "{}\n");
        live.append("sessions-r0.jsonl", row(1));
        bool isFound = false;
        for (int call = 0; call < 3; ++call)
            isFound |= !live.frames().empty();
        QVERIFY(isFound);
    }

    void aThousandFilesAndMore()
    {
        RecordSending live;
        for (int i = 0; i < 1100; ++i)
            live.append("sessions-r" + std::to_string(i) + ".jsonl", row(i));
        const auto frames = live.frames();
        QCOMPARE(std::ranges::count(frames, "records", &LiveFrame::kind), 1024);
        QCOMPARE(std::ranges::count(frames, "lines", &LiveFrame::kind), 1024);
        QCOMPARE(std::ranges::count(frames, "note", &LiveFrame::kind), 1);
    }

    // The sender limits the sum of both. Neither waits until all of the other is sent.
    void recordsAndCapturesTakeTurns()
    {
        const TempDir folder;
        MadeSpool spool;
        spool.meta();
        for (int i = 0; i < 10; ++i)
            spool.pairs((i + 1) * 1'000'000'000ll, 10, 1000);
        folder.write("a.lsc", spool.bytes());
        folder.write("a.jsonl", rows(1, 5000, 1000));
        agent::LiveOptions options;
        options.rate_bytesPerS = 4'000'000;
        agent::LiveSender sender(options);
        sender.findFiles({folder.path()});
        sender.poll();
        LiveFrames parser;
        const auto now = agent::LiveSender::Clock::now();
        for (std::string bytes = sender.next(now); !bytes.empty(); bytes = sender.next(now))
            parser.add(bytes);
        std::string order;
        uint64_t bytes = 0;
        while (const auto frame = parser.next()) {
            if (frame->kind == "block") order += 'b';
            if (frame->kind == "lines") order += 'l';
            bytes += frame->payload.size();
        }
        QVERIFY2(order.starts_with("lblblblb"), order.c_str());
        QVERIFY2(bytes > 3'900'000 && bytes < 4'300'000, std::to_string(bytes).c_str());
        QVERIFY(!sender.isAllSent());
    }
};

LOCKSTEP_TEST(LiveRecordsTest, "live_records_test")
#include "live_records_test.moc"
