// SPDX-License-Identifier: Apache-2.0
// Tests the limits for a host that is not trusted: lines, JSON, calls, the copy of its events, the ledger,
// and stored runs.
#include <fstream>

#include <QTest>

#include "core/base/peer_json.h"
#include "core/remote/event_file.h"
#include "core/remote/ledger.h"
#include "core/remote/line_splitter.h"
#include "core/remote/remote.h"
#include "core/remote/run_pruning.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> linesOf(LineSplitter& splitter, std::string_view bytes)
{
    std::vector<std::string> lines;
    splitter.add(bytes);
    while (const auto line = splitter.next())
        lines.emplace_back(*line);
    return lines;
}

CallResult resultOf(const char* text, const CallLimits& limits, QStringList* waits = nullptr)
{
    const auto remote = std::make_shared<LocalRemote>();
    std::optional<CallResult> result;
    RemoteCall* const call = remote->call(text, nullptr, limits);
    QObject::connect(call, &RemoteCall::finished, call, [&result](const CallResult& one) { result = one; });
    QObject::connect(call, &RemoteCall::waits, call, [waits](const std::string& told) {
        if (waits != nullptr) waits->append(QString::fromStdString(told));
    });
    const bool hasEnded = waitUntil([&] { return result.has_value(); });
    delete call;
    return hasEnded ? *result : CallResult();
}

Ledger ledgerWith(size_t reports)
{
    Ledger ledger;
    for (size_t i = 0; i < reports; ++i) {
        const std::string path = "/r/rank" + std::to_string(i) + ".json";
        if (ledger.hasRoomFor("a", path, "trace json"))
            ledger.noteFound("a", path, "trace json", 1, true, "");
    }
    return ledger;
}

} // namespace

class HostLimitsTest : public QObject {
    Q_OBJECT

  private slots:
    void linesAreSplitWhateverTheChunks()
    {
        LineSplitter whole(8), single(8);
        const std::string text = "one\n\ntwo\nmuch too long a line\nthree\nrest";
        const std::vector<std::string> expected{"one", "", "two", "three"};
        QCOMPARE(linesOf(whole, text), expected);
        QCOMPARE(std::string(whole.rest()), std::string("rest"));
        std::vector<std::string> lines;
        for (const char c : text) {
            for (std::string& line : linesOf(single, {&c, 1}))
                lines.push_back(std::move(line));
        }
        QCOMPARE(lines, expected);
        for (const LineSplitter* one : {&whole, &single}) {
            QCOMPARE(one->skippedLines(), uint64_t(1));
            QCOMPARE(one->skippedBytes(), uint64_t(20));
        }
    }

    void aLineWithoutAnEndTakesNoMemory()
    {
        LineSplitter splitter(1000);
        const std::string block(1 << 20, 'a');
        for (int i = 0; i < 256; ++i)
            QVERIFY(linesOf(splitter, block).empty());
        QCOMPARE(splitter.skippedLines(), uint64_t(1));
        QCOMPARE(splitter.skippedBytes(), uint64_t(256) << 20);
        QVERIFY(splitter.rest().empty());
        QCOMPARE(linesOf(splitter, "\nnext\n"), std::vector<std::string>{"next"});
    }

    void jsonOfAPeerIsLimited()
    {
        QVERIFY(jsonFromPeer("{\"a\":[1,{\"b\":\"}{][:,\\\"\"}]}").is_object());
        QVERIFY(jsonFromPeer("{").is_discarded());
        std::string keys = "{";
        for (int i = 0; i < 2'000'000; ++i)
            keys += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
        keys += "}";
        const CpuTimer clock;
        QVERIFY(jsonFromPeer(keys, {.bytes = 64 << 20}).is_discarded());
        QVERIFY(jsonFromPeer(std::string(5'000'000, '[') + std::string(5'000'000, ']'), {.bytes = 64 << 20})
                    .is_discarded());
        QVERIFY(jsonFromPeer("[" + std::string(100, ' ') + "]", {.bytes = 50}).is_discarded());
        QVERIFY2(clock.elapsed_ms() < 5'000, "the limits are checked before anything is built");
        std::string quoted = "{\"text\":\"" + std::string(5'000, ':') + std::string(5'000, '[') + "\"}";
        QVERIFY(jsonFromPeer(quoted).is_object());
    }

    void silentCallEndsWithAMessage()
    {
        const CallResult silent = resultOf("sleep 100", {"probe", 2, 0, 0});
        QCOMPARE(silent.link, LinkFailure::lost);
        QVERIFY2(silent.error.message.find("this machine: has not responded to `probe` for 2 s") == 0,
                 silent.error.message.c_str());
        const CallResult slow = resultOf("while :; do echo x; sleep 0.2; done", {"probe", 2, 3, 0});
        QVERIFY2(slow.error.message.find("did not finish `probe` within 3 s") != std::string::npos,
                 slow.error.message.c_str());
        QVERIFY(!slow.isOk());
    }

    void aCallThatSendsTooMuchEnds()
    {
        const CallResult much = resultOf("yes", {"probe", 60, 0, 1 << 20});
        QCOMPARE(much.link, LinkFailure::none);
        QVERIFY2(much.error.message.find("sent more than 1.0 MiB in response to `probe`") !=
                         std::string::npos ||
                     much.error.message.find("sent more than") != std::string::npos,
                 much.error.message.c_str());
        QVERIFY(much.output.isEmpty());
        const CallResult noise = resultOf("yes >&2", {"probe", 60, 0, 1 << 20});
        QVERIFY2(noise.error.message.find("of error messages during `probe`") != std::string::npos,
                 noise.error.message.c_str());
        QVERIFY(resultOf("echo fine", {"probe", 60, 0, 1 << 20}).isOk());
    }

    void silenceIsReportedAfter15s()
    {
        QStringList waits;
        QVERIFY(resultOf("sleep 17; echo late", {"probe", 60, 0, 1 << 20}, &waits).isOk());
        QCOMPARE(waits.size(), 1);
        QVERIFY2(waits[0].startsWith("has not responded to `probe` for 15 s"), qPrintable(waits[0]));
    }

    void eventsAreStoredWholeUpToALimit()
    {
        const TempDir folder;
        const fs::path path = folder.write("a.events.jsonl", "one\ntwo\nunfinished");
        {
            EventFile file;
            std::vector<std::string> read;
            QVERIFY(file.open(path, [&read](std::string_view line) { read.emplace_back(line); }));
            QCOMPARE(read, (std::vector<std::string>{"one", "two"}));
            QVERIFY(file.append("three", 100));
            QVERIFY(!file.append(std::string(200, 'x'), 100));
            QVERIFY(file.append("four", 100));
            QCOMPARE(file.notStored(), uint64_t(1));
            QVERIFY2(file.problem().find("its limit of 100") != std::string::npos, file.problem().c_str());
        }
        std::ifstream in(path);
        QCOMPARE(std::string(std::istreambuf_iterator<char>(in), {}), std::string("one\ntwo\nthree\nfour\n"));
    }

    void aFullDiskLeavesRoomForTheAgent()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "8m");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        EventFile file;
        QVERIFY(file.open(folder.path() / "disk" / "a.jsonl", [](std::string_view) {}));
        const std::string line(64 << 10, 'x');
        for (int i = 0; i < 256; ++i)
            file.append(line, uint64_t(1) << 30);
        QVERIFY(file.notStored() > 0);
        QVERIFY2(file.problem().find("free") != std::string::npos, file.problem().c_str());
        const fs::space_info space = fs::space(folder.path() / "disk");
        QVERIFY(space.available >= (3u << 20));
        QCOMPARE(fs::file_size(folder.path() / "disk" / "a.jsonl"), file.bytes());
    }

    void ledgerEntriesPerHostAreLimited()
    {
        const CpuTimer clock;
        Ledger ledger = ledgerWith(Ledger::kMaxFoundOfHost + 500);
        QCOMPARE(ledger.entries().size(), Ledger::kMaxFoundOfHost);
        QCOMPARE(ledger.excluded().at("a"), uint64_t(500));
        QVERIFY(ledger.hasRoomFor("a", "/r/rank7.json", "trace json"));
        QVERIFY(ledger.hasRoomFor("b", "/r/rank7.json", "trace json"));
        QVERIFY2(clock.elapsed_ms() < 20'000, "a sighting costs the same however many there are");
        const auto again = ledgerFromJson(jsonFromLedger(ledger));
        QVERIFY(again.has_value());
        QCOMPARE(again->entries().size(), ledger.entries().size());
        QCOMPARE(again->find("a", "/r/rank29999.json"), std::optional<size_t>(29'999));
    }

    void entriesAreFoundAfterEveryChange()
    {
        Ledger ledger = ledgerWith(5);
        QCOMPARE(ledger.find("a", "/r/rank3.json"), std::optional<size_t>(3));
        const size_t other = ledger.noteFound("b", "/mnt/rank3.json", "trace json", 1, true, "");
        QCOMPARE(ledger.noteSame(3, other), size_t(3));
        QCOMPARE(ledger.find("b", "/mnt/rank3.json"), std::optional<size_t>(3));
        QCOMPARE(ledger.entries().size(), size_t(5));
        ledger.noteDigest(3, "x");
        QVERIFY(ledger.noteDifferent(3, {"a", "/r/rank3.json"}, "y"));
        QCOMPARE(ledger.find("a", "/r/rank3.json"), std::nullopt);
        QCOMPARE(ledger.find("b", "/mnt/rank3.json"), std::optional<size_t>(3));
        const size_t growing = ledger.noteFound("a", "/r/x.json.tmp", "trace json", 1, false, "");
        ledger.noteFound("a", "/r/y.json", "trace json", 1, true, "");
        ledger.noteRenamed("a", "/r/x.json.tmp");
        QCOMPARE(ledger.find("a", "/r/x.json.tmp"), std::nullopt);
        QCOMPARE(ledger.find("a", "/r/y.json"), std::optional<size_t>(growing));
        const Ledger copy = ledger;
        QCOMPARE(copy, ledger);
        QCOMPARE(copy.find("a", "/r/rank4.json"), std::optional<size_t>(4));
    }

    void oldRunsAreRemoved()
    {
        const TempDir folder;
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString(folder.path().string()));
        constexpr int64_t kDay_ns = 86'400'000'000'000;
        const int64_t now_ns = 1'800'000'000'000'000'000;
        for (const auto& [id, days, isOver] :
             {std::tuple("2020-old", 90, true), std::tuple("2021-running", 80, false),
              std::tuple("2022-old", 70, true), std::tuple("2023-young", 3, true)}) {
            RunRecord record;
            record.id = id;
            record.started_ns = now_ns - days * kDay_ns;
            record.hosts = {{"h", "h", "d", "", true, ""}};
            folder.write(fs::path("runs") / id / "record.json", jsonFromRunRecord(record));
            std::string events(1 << 20, ' ');
            events += isOver ? "\n{\"seq\":9,\"t_ns\":1,\"kind\":\"exit\",\"run\":true,\"code\":0}\n" : "\n";
            events += "{\"seq\":0,\"t_ns\":1,\"kind\":\"clock_exchange\"}\n";
            folder.write(fs::path("runs") / id / "h.events.jsonl", events);
        }
        QCOMPARE(knownRuns().size(), size_t(4));
        QVERIFY(pruneRuns(knownRuns(), now_ns, 5 << 20).removed.empty());
        const RunPruning one = pruneRuns(knownRuns(), now_ns, (4 << 20) - 4096);
        QCOMPARE(one.removed, std::vector<std::string>{"2020-old"});
        const RunPruning all = pruneRuns(knownRuns(), now_ns, 1);
        QCOMPARE(all.removed, std::vector<std::string>{"2022-old"});
        QVERIFY(!fs::exists(folder.path() / "runs" / "2022-old"));
        QCOMPARE(knownRuns().size(), size_t(2));
    }
};

LOCKSTEP_TEST(HostLimitsTest, "host_limits_test")
#include "host_limits_test.moc"
