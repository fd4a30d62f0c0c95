// SPDX-License-Identifier: Apache-2.0
// Tests what `lockstep-agent live` sends for spools that grow, are truncated, replaced, damaged, missing, or
// too many.
#include <csignal>

#include <QTest>

#include "capture/agent/live_sender.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_stream.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "tests/support/agent_run.h"
#include "tests/support/made_spool.h"
#include "tests/support/places.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
using agent::LiveOptions;
using agent::LiveSender;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

// A sender over a folder, polled until it has nothing more to send. The test supplies the clock.
class Sending {
  public:
    explicit Sending(LiveOptions options = {}) : sender(std::move(options)) {}

    std::vector<LiveFrame> frames(double seconds = 0)
    {
        now += std::chrono::milliseconds(static_cast<int>(seconds * 1000));
        sender.findFiles({folder.path()});
        sender.poll();
        LiveFrames parser;
        for (std::string bytes = sender.next(now); !bytes.empty(); bytes = sender.next(now))
            parser.add(bytes);
        std::vector<LiveFrame> all;
        while (auto frame = parser.next()) {
            if (frame->kind != liveWord::kLag && frame->kind != liveWord::kHello) all.push_back(*frame);
        }
        return all;
    }
    std::string text(double seconds = 0)
    {
        std::string text;
        for (const LiveFrame& frame : frames(seconds)) {
            text += frame.kind;
            if (frame.kind == "block") text += " " + std::to_string(countAt(frame.head, "sequence"));
            if (frame.kind == "skipped")
                text += " " + std::to_string(countAt(frame.head, "from")) + ".." +
                        std::to_string(countAt(frame.head, "to")) + " " + textAt(frame.head, "why");
            if (frame.kind == "note") text += " " + textAt(frame.head, "word");
            if (frame.kind == "done") text += boolAt(frame.head, "ended") ? " ended" : " cut";
            text += "; ";
        }
        return text;
    }

    TempDir folder;
    LiveSender sender;
    LiveSender::Clock::time_point now = LiveSender::Clock::now();
};

MadeSpool spoolOf(int blocks, size_t padding_bytes = 0, uint8_t session = 1)
{
    MadeSpool spool(session);
    spool.meta();
    for (int i = 0; i < blocks; ++i)
        spool.pairs((i + 1) * kSecond_ns, 10, padding_bytes);
    return spool;
}

// Concatenates the received data as the window does.
std::string joined(const std::vector<LiveFrame>& frames)
{
    std::string bytes;
    for (const LiveFrame& frame : frames) {
        if (frame.kind == "file" || frame.kind == "block") bytes += frame.payload;
    }
    return bytes;
}

} // namespace

class AgentLiveTest : public QObject {
    Q_OBJECT

  private slots:
    void growsBlockByBlock()
    {
        Sending live;
        MadeSpool spool = spoolOf(2);
        const std::string first = spool.bytes();
        live.folder.write("a.lsc", first.substr(0, 40)); // shorter than the header
        QCOMPARE(live.text(), "");
        live.folder.write("a.lsc", first + "LBLK"); // and the beginning of a block
        QCOMPARE(live.text(), "file; block 0; block 1; block 2; ");
        QCOMPARE(live.text(), "");
        spool.pairs(3 * kSecond_ns, 5);
        live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(live.text(), "block 3; ");
        spool.finish();
        live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(live.text(), "done ended; ");
        QVERIFY(live.sender.isAllSent());
        QCOMPARE(live.text(), "");
    }

    void sentDataIsAValidSpool()
    {
        Sending live;
        MadeSpool spool = spoolOf(4);
        live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(joined(live.frames()), spool.bytes());
    }

    void startSendsOnlyTheLastSeconds()
    {
        LiveOptions options;
        options.retention_ns = 3 * kSecond_ns;
        Sending live(options);
        live.folder.write("a.lsc", spoolOf(10).bytes());
        const auto frames = live.frames();
        QCOMPARE(frames[0].kind, "file");
        QCOMPARE(frames[1].kind, "skipped");
        QCOMPARE(textAt(frames[1].head, "why"), "written before watching started");
        QCOMPARE(countAt(frames[1].head, "blocks"), uint64_t(6));
        QCOMPARE(countAt(frames[1].head, "records"), uint64_t(6 * 21));
        QCOMPARE(*numberAt(frames[1].head, "first_ns"), 1 * kSecond_ns);
        QCOMPARE(*numberAt(frames[1].head, "last_ns"), 6 * kSecond_ns + 9'500'000);
        QCOMPARE(countAt(frames[2].head, "sequence"), uint64_t(0)); // the identity is sent whatever its age
        QCOMPARE(countAt(frames[3].head, "sequence"), uint64_t(7));
        QCOMPARE(frames.size(), size_t(3 + 4));
    }

    // At most the newest two seconds of data are queued. The number of skipped blocks is reported before the
    // rest is sent.
    void rateLimitDropsTheOldest()
    {
        LiveOptions options;
        options.rate_bytesPerS = 20'000;
        Sending live(options);
        live.folder.write("a.lsc", spoolOf(25, 1000).bytes()); // about 10 KB each
        const std::string reportedText = live.text();
        QVERIFY2(reportedText.starts_with("file; skipped 1..23 above the rate limit; block 0; block 23; "),
                 reportedText.c_str());
        // Nothing is read for an hour: the queue does not grow.
        MadeSpool more = spoolOf(400, 1000);
        live.folder.write("a.lsc", more.bytes());
        live.sender.poll();
        live.sender.poll();
        LiveFrames parser;
        live.now += std::chrono::hours(1);
        uint64_t sent = 0;
        for (std::string bytes = live.sender.next(live.now); !bytes.empty();
             bytes = live.sender.next(live.now))
            sent += bytes.size();
        QVERIFY2(sent < 45'000, std::to_string(sent).c_str());
    }

    // A block larger than the rate limit's whole window is still sent if it is the newest.
    void largeNewestBlockIsSent()
    {
        LiveOptions options;
        options.rate_bytesPerS = 1000;
        Sending live(options);
        live.folder.write("a.lsc", spoolOf(2, 20'000).bytes());
        std::string reportedText = live.text();
        for (int second = 0; second < 400 && reportedText.find("block 2") == std::string::npos; ++second)
            reportedText += live.text(1);
        QCOMPARE(reportedText, "file; skipped 1..2 above the rate limit; block 0; block 2; ");
    }

    void resumesFromTheMissingBlock()
    {
        MadeSpool spool = spoolOf(5);
        const TempDir other;
        agent::SpoolTail tail(other.write("a.lsc", spool.bytes()));
        tail.poll();
        LiveOptions options;
        options.have[tail.id()] = 4;
        options.have["0123456789abcdef"] = 2;
        Sending live(options);
        live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(live.text(), "file; block 4; block 5; ");
    }

    void truncatedReplacedAndDeletedSpools()
    {
        Sending live;
        MadeSpool spool = spoolOf(3);
        const fs::path file = live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(live.text(), "file; block 0; block 1; block 2; block 3; ");
        fs::resize_file(file, 100);
        const std::string cut = live.text();
        QVERIFY2(cut.starts_with("note truncated; done cut; "), cut.c_str());
        live.folder.write("b.lsc", spoolOf(1, 0, 7).bytes());
        (void)live.text();
        fs::rename(live.folder.write("new", spoolOf(2, 0, 9).bytes()), live.folder.path() / "b.lsc");
        std::string reportedText = live.text();
        reportedText += live.text();
        QCOMPARE(QString::fromStdString(reportedText),
                 "note replaced; done cut; file; block 0; block 1; block 2; ");
        fs::remove(live.folder.path() / "b.lsc");
        QCOMPARE(live.text(), "note vanished; done cut; ");
        live.folder.write("c.lsc", std::string(5000, 'x'));
        QCOMPARE(live.text(), "note unknown; ");
        fs::create_directory(live.folder.path() / "d.lsc");
        fs::create_symlink("/dev/zero", live.folder.path() / "e.lsc");
        QCOMPARE(live.text(), "");
    }

    // The sender waits for a block whose checksum is wrong, then reports it; the blocks after it are sent.
    void damageInTheMiddle()
    {
        Sending live;
        MadeSpool spool = spoolOf(2);
        const size_t at = spool.blockAt();
        std::string bytes = spool.pairs(5 * kSecond_ns, 3).bytes();
        bytes[at + 70] = static_cast<char>(bytes[at + 70] ^ 1);
        live.folder.write("a.lsc", bytes);
        std::string reportedText = live.text();
        QCOMPARE(reportedText, "file; block 0; block 1; ");
        const auto isDone = [&] {
            return (reportedText += live.text()).find("block 3; ") != std::string::npos;
        };
        QVERIFY2(waitUntil(isDone), reportedText.c_str());
        QCOMPARE(reportedText, "file; block 0; block 1; skipped 2..3 damaged; note damaged; block 3; ");
    }

    // Where no block begins, the sender searches for the next one. A header with an impossible length does
    // not count as a block.
    void garbageBetweenBlocks()
    {
        for (const std::string& garbage : {std::string("garbage LBLK garbage"), std::string(3 << 20, 'L')}) {
            Sending live;
            const std::string before = spoolOf(1).bytes();
            const std::string after = spoolOf(3).bytes().substr(before.size());
            live.folder.write("a.lsc", before + garbage + after);
            std::string reportedText;
            for (int i = 0; i < 10; ++i)
                reportedText += live.text();
            const size_t note = reportedText.find("note damaged; ");
            QVERIFY2(note != std::string::npos, reportedText.c_str());
            reportedText.erase(note, std::string("note damaged; ").size());
            QCOMPARE(reportedText, "file; block 0; block 1; block 2; block 3; ");
        }
    }

    // On a shared disk, the machine of the process sends its capture. The others wait until it could have.
    void capturesOfOtherMachinesWait()
    {
        Sending live;
        MadeSpool spool;
        spool.meta(0, 4711, "s", "b1f0c0de-0000-4000-8000-000000000000").pairs(kSecond_ns, 3);
        live.folder.write("a.lsc", spool.bytes());
        QCOMPARE(live.text(), "");
        QVERIFY(live.sender.isAllSent()); // the run's end does not wait for it
        live.folder.write("b.lsc", spoolOf(1).bytes());
        QCOMPARE(live.text(), "file; block 0; block 1; ");
        const auto frames = live.frames(6);
        QCOMPARE(frames.size(), size_t(3));
        QVERIFY(frames[0].kind == "file" && boolAt(frames[0].head, "elsewhere"));
    }

    // What waits in the captures of other machines does not count toward the rate of this one.
    void othersDoNotUseUpTheRate()
    {
        LiveOptions options;
        options.rate_bytesPerS = 20'000;
        Sending live(options);
        MadeSpool other(7);
        other.meta(0, 4711, "s", "b1f0c0de-0000-4000-8000-000000000000");
        for (int i = 0; i < 25; ++i)
            other.pairs((i + 100) * kSecond_ns, 10, 1000); // about 10 KB each, newer than the blocks below
        live.folder.write("a.lsc", other.bytes());
        live.folder.write("b.lsc", spoolOf(2, 1000).bytes());
        QCOMPARE(live.text(), "file; block 0; block 1; block 2; ");
    }

    // The client gets the file from another host.
    void droppedFileIsNotSent()
    {
        Sending live;
        MadeSpool spool = spoolOf(2);
        live.folder.write("a.lsc", spool.bytes());
        live.folder.write("sessions-r0.jsonl", "{\"session_id\": 1, \"submit_ts\": 2}\n");
        live.sender.findFiles({live.folder.path()});
        live.sender.poll();
        LiveFrames parser;
        for (int i = 0; i < 3; ++i)
            parser.add(live.sender.next(live.now)); // hello, file, records
        std::vector<uint64_t> numbers;
        while (const auto frame = parser.next()) {
            if (frame->kind != "hello") numbers.push_back(countAt(frame->head, "file"));
        }
        QCOMPARE(numbers, (std::vector<uint64_t>{1, 2}));
        for (const uint64_t number : {1u, 2u, 3u, 0u})
            live.sender.drop(number);
        QCOMPARE(live.text(), "");
        QVERIFY(live.sender.isAllSent());
        live.folder.write("a.lsc", spool.pairs(5 * kSecond_ns, 3).bytes());
        QCOMPARE(live.text(), "");
    }

    void rateLimitBoundsBytesPerSecond()
    {
        LiveOptions options;
        options.rate_bytesPerS = 50'000;
        Sending live(options);
        uint64_t sent = 0;
        MadeSpool spool;
        spool.meta();
        for (int second = 0; second < 20; ++second) {
            for (int i = 0; i < 10; ++i) // about 100 KB per second
                spool.pairs((second + 1) * kSecond_ns + i * 100'000'000, 10, 1000);
            live.folder.write("a.lsc", spool.bytes());
            for (const LiveFrame& frame : live.frames(1))
                sent += frame.payload.size();
        }
        QVERIFY2(sent > 20 * 40'000 && sent < 20 * 50'000 + 80'000, std::to_string(sent).c_str());
    }

    void aThousandSpools()
    {
        Sending live;
        for (int i = 0; i < 1000; ++i)
            live.folder.write("role_" + std::to_string(i) + ".lsc", spoolOf(2, 0, 1).bytes());
        const auto frames = live.frames();
        QCOMPARE(std::ranges::count(frames, "file", &LiveFrame::kind), 1000);
        QCOMPARE(std::ranges::count(frames, "block", &LiveFrame::kind), 3000);
    }

    // Tests the program itself: it sends a real capture while the capture is written, and ends with the run
    // or when the reader closes its standard input.
    void programFollowsARun()
    {
        const QJsonObject plan =
            hostPlan({shell("touch hold_1; exec env LOCKSTEP_ALL_RANKS=1 LOCKSTEP_OUTPUT=$PWD/reports "
                            "NVTX_INJECTION64_PATH=" +
                            builtProgram("../lib/liblockstep_capture.so") + " " +
                            builtProgram("capture-rank") + " 2")},
                     {"reports"});
        AgentRun captured(plan);
        QCOMPARE(captured.start().status, 0);
        QProcess live, abandoned;
        for (QProcess* process : {&live, &abandoned}) {
            process->setProcessEnvironment(agentEnvironment(captured.home()));
            process->setWorkingDirectory(QString::fromStdString(captured.home().string()));
            process->start(builtProgram("lockstep-agent"), {"live", captured.folderText(), "--last", "10s"});
        }
        LiveFrames parser;
        std::map<std::string, std::string> spools; // by file
        std::set<std::string> done;
        bool hasEnded = false;
        const auto takeFrames = [&] {
            parser.add(live.readAllStandardOutput().toStdString());
            while (auto frame = parser.next()) {
                const std::string file = std::to_string(countAt(frame->head, "file"));
                if (frame->kind == "file" || frame->kind == "block") spools[file] += frame->payload;
                if (frame->kind == "done" && boolAt(frame->head, "ended")) done.insert(file);
                hasEnded |= frame->kind == "end";
            }
        };
        const auto isHeld = [&] {
            takeFrames();
            return spools.size() == 2 &&
                   std::ranges::all_of(spools, [](const auto& spool) { return spool.second.size() > 500; });
        };
        QVERIFY(waitUntil(isHeld));
        QVERIFY(!hasEnded && done.empty());
        abandoned.closeWriteChannel();
        QVERIFY(abandoned.state() == QProcess::NotRunning || abandoned.waitForFinished(kPatience_ms));
        QCOMPARE(abandoned.exitCode(), 0);
        fs::remove(captured.home() / "hold_1");
        const auto isOver = [&] {
            takeFrames();
            return hasEnded;
        };
        QVERIFY(waitUntil(isOver));
        QVERIFY(live.state() == QProcess::NotRunning || live.waitForFinished(kPatience_ms));
        QCOMPARE(live.exitCode(), 0);
        QCOMPARE(done.size(), size_t(2));
        for (const auto& [file, bytes] : spools) {
            const auto report = readCaptureSpool(bytes, {}, Progress());
            QVERIFY(report.has_value());
            QCOMPARE((*report)->slices.size() >= 2 * 23u, true);
        }
    }

    void wrongUse()
    {
        const TempDir home;
        for (const QStringList& words : {QStringList{},
                                         {"nowhere"},
                                         {"x", "--rate", "fast"},
                                         {"x", "--last", "-1"},
                                         {"x", "y"},
                                         {"x", "--more"}}) {
            const AgentAnswer answer = runAgent(home.path(), QStringList{"live"} + words);
            QCOMPARE(answer.status, words.size() == 1 ? 1 : 2);
            QVERIFY(!answer.errors.isEmpty() && answer.output.isEmpty());
        }
    }
};

LOCKSTEP_TEST(AgentLiveTest, "agent_live_test")
#include "agent_live_test.moc"
