// SPDX-License-Identifier: Apache-2.0
// Tests the ledger of reports: expected versus found ones, updated by names, content and ends.
#include <numeric>

#include <QElapsedTimer>

#include "core/remote/ledger.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// verl's torch traces: two ranks on two hosts, steps 2 and 5, two stages each.
std::vector<ExpectedFile> torchForecast()
{
    std::vector<ExpectedFile> files;
    for (const int64_t rank : {0, 8}) {
        ExpectedFile file;
        file.kind = ReportKind::torchTrace;
        file.role = "actor";
        file.host = rank == 0 ? "node0" : "node1";
        file.ranks = {rank};
        file.rankCount = 1;
        file.reportsPerRank = 4;
        file.steps = {{2}, {5}};
        file.folder = "out";
        file.pattern = R"((?<role>[^_]+)_step(?<step>\d+)_rank(?<rank>\d+)_pid(?<pid>\d+)\.json)";
        files.push_back(file);
    }
    return files;
}

// nsys reports that name a process and its capture range only.
ExpectedFile nsysForecast()
{
    ExpectedFile file;
    file.kind = ReportKind::nsysReport;
    file.role = "actor";
    file.host = "node0";
    file.ranks = {0, 1};
    file.rankCount = 2;
    file.reportsPerRank = 2;
    file.steps = {{2}, {5}};
    file.pattern = R"(worker_process_(?<pid>\d+)\.(?<range>\d+)\.nsys-rep)";
    return file;
}

size_t stateCount(const Ledger& ledger, LedgerState state)
{
    return ledger.counts()[static_cast<size_t>(state)];
}

} // namespace

class LedgerTest : public QObject {
    Q_OBJECT

  private slots:
    // A plan that was edited: a report that no file can match is missing for that reason, not because the run
    // ended.
    void brokenPatternIsReported()
    {
        ExpectedFile file = nsysForecast();
        file.pattern = "worker_process_(";
        Ledger ledger(std::vector{file});
        ledger.noteFound("node0", "/tmp/worker_process_(", "nsys", 10, true, {});
        QCOMPARE(ledger.expectedCount(), size_t(4));
        ledger.closeHost("node0", "the program ended");
        ledger.close("the run is over");
        const LedgerEntry& entry = ledger.entries().front();
        QCOMPARE(entry.state, LedgerState::missing);
        QVERIFY2(entry.reason.find("worker_process_(") != std::string::npos, entry.reason.c_str());
    }

    // AReaL, RLinf and Ray write samples as JSON traces, which the agent cannot tell from those of a
    // profiler.
    void samplesMayBeTraces()
    {
        ExpectedFile file;
        file.kind = ReportKind::samples;
        file.rankCount = 2;
        file.optionalPerRank = 1;
        file.pattern = R"(traces-r(?<rank>\d+)\.jsonl)";
        ExpectedFile open = file;
        open.rankCount.reset();
        open.pattern = R"(traces(?:\.\d+)?\.jsonl)";
        Ledger ledger(std::vector{file, open});
        const size_t one = ledger.noteFound("node0", "/a/traces-r0.jsonl", "trace json", 10, true, {});
        const size_t two = ledger.noteFound("node0", "/a/traces.1.jsonl", "sample records", 10, true, {});
        QVERIFY(ledger.entries()[one].wasExpected && ledger.entries()[two].wasExpected);
        QCOMPARE(ledger.entries()[one].kind, ReportKind::samples);
        QCOMPARE(ledger.entries()[two].kind, ReportKind::samples);
        ledger.close("the run is over");
        QCOMPARE(stateCount(ledger, LedgerState::missing), size_t(0));
        QCOMPARE(stateCount(ledger, LedgerState::absent), size_t(1));
        const size_t other = ledger.noteFound("node0", "/a/rank0.json", "trace json", 10, true, {});
        QCOMPARE(ledger.entries()[other].kind, ReportKind::torchTrace);
    }

    // Stages that a configuration omits are never reported as missing, whichever stages of a step arrive.
    void optionalStagesAreNeverMissing()
    {
        ExpectedFile file = nsysForecast();
        file.ranks = {0};
        file.rankCount = 1;
        file.reportsPerRank = 6;
        file.optionalPerRank = 4;
        for (const int found : {1, 2, 4, 6}) {
            Ledger ledger(std::vector<ExpectedFile>{file});
            QCOMPARE(ledger.expectedCount(), size_t(2));
            for (int range = 1; range <= found; ++range) {
                const std::string path = "/r/worker_process_7." + std::to_string(range) + ".nsys-rep";
                QVERIFY(ledger.entries()[ledger.noteFound("node0", path, "nsys report", 10, true, "")]
                            .wasExpected);
            }
            ledger.close("the run ended without it");
            QCOMPARE(stateCount(ledger, LedgerState::missing), size_t(found == 1 ? 1 : 0));
            QCOMPARE(stateCount(ledger, LedgerState::absent), size_t(6 - std::max(found, 2)));
            const Result<Ledger> back = ledgerFromJson(jsonFromLedger(ledger));
            QVERIFY(back && *back == ledger);
        }
        file.pattern = R"((?<role>[^_]+)_step(?<step>\d+)_rank(?<rank>\d+)_pid(?<pid>\d+)\.json)";
        file.kind = ReportKind::torchTrace;
        Ledger ledger(std::vector<ExpectedFile>{file});
        ledger.noteFound("node0", "/d/actor_step2_rank0_pid7.json", "trace json", 10, true, "");
        ledger.closeHost("node0", "the run ended without it");
        QCOMPARE(stateCount(ledger, LedgerState::missing), size_t(1)); // step 5's update
        QCOMPARE(stateCount(ledger, LedgerState::absent), size_t(4));
    }

    // Names without ranks. The second reports of the ranks are expected, but come from other processes. The
    // time must not grow with the third power of the ranks.
    void manyProcessesWithoutTheirFirstReport()
    {
        ExpectedFile file = nsysForecast();
        file.ranks.resize(1'000);
        std::iota(file.ranks.begin(), file.ranks.end(), 0);
        file.rankCount = 1'000;
        Ledger ledger(std::vector<ExpectedFile>{file});
        const test::CpuTimer time;
        for (int i = 0; i < 2'000; ++i) {
            const std::string name =
                "/d/worker_process_" + std::to_string(5'000 + i) + (i < 1'000 ? ".1" : ".2") + ".nsys-rep";
            ledger.noteFound("node0", name, "nsys report", 10, true, "");
        }
        qInfo("2,000 reports took their places in %lld ms", static_cast<long long>(time.elapsed_ms()));
        QVERIFY(time.elapsed_ms() < 3'000);
        QCOMPARE(stateCount(ledger, LedgerState::expected), size_t(1'000));
        for (size_t i = 0; i < 2'000; i += 2)
            QVERIFY(ledger.entries()[i].path.ends_with(".1.nsys-rep"));
    }

    void expectationEqualsTheForecast()
    {
        const Ledger ledger(torchForecast());
        QCOMPARE(ledger.entries().size(), size_t(8));
        QCOMPARE(ledger.expectedCount(), size_t(8));
        QCOMPARE(ledger.entries()[3].steps, (std::vector<int64_t>{5}));
        QCOMPARE(ledger.entries()[3].order, int64_t(3));
        QCOMPARE(ledger.summary(), std::string("8 expected of 8"));
    }

    void aNameFindsItsEntry()
    {
        Ledger ledger(torchForecast());
        const size_t at =
            ledger.noteFound("node1", "/d/actor_step5_rank8_pid7.json", "trace json", 10, true, "");
        QCOMPARE(ledger.entries()[at].rank, std::optional<int64_t>(8));
        QCOMPARE(ledger.entries()[at].steps, (std::vector<int64_t>{5}));
        QCOMPARE(ledger.entries()[at].state, LedgerState::complete);
        // The same file again is the same entry; another stage fills the next; a third has no entry.
        QCOMPARE(ledger.noteFound("node1", "/d/actor_step5_rank8_pid7.json", "trace json", 10, true, ""), at);
        const size_t second =
            ledger.noteFound("node1", "/e/actor_step5_rank8_pid7.json", "trace json", 10, false, "growing");
        QVERIFY(second != at && ledger.entries()[second].wasExpected);
        QCOMPARE(ledger.entries()[second].state, LedgerState::capturing);
        const size_t third =
            ledger.noteFound("node1", "/f/actor_step5_rank8_pid7.json", "trace json", 10, true, "");
        QVERIFY(!ledger.entries()[third].wasExpected);
        // A rank of another host is not assigned.
        const size_t stray =
            ledger.noteFound("node0", "/g/actor_step5_rank8_pid7.json", "trace json", 1, true, "");
        QVERIFY(!ledger.entries()[stray].wasExpected);
    }

    void reportsOfAProcessStayTogether()
    {
        Ledger ledger(std::vector<ExpectedFile>{nsysForecast()});
        const auto note = [&](const char* name) -> LedgerEntry {
            const size_t at = ledger.noteFound("node0", name, "nsys report", 1, true, "");
            return ledger.entries()[at];
        };
        const LedgerEntry first = note("/r/worker_process_70.2.nsys-rep");
        QCOMPARE(first.steps, (std::vector<int64_t>{5})); // the second range
        const LedgerEntry other = note("/r/worker_process_71.1.nsys-rep");
        QVERIFY(other.rank != first.rank);
        QCOMPARE(note("/r/worker_process_70.1.nsys-rep").rank, first.rank);
        QCOMPARE(note("/r/worker_process_71.2.nsys-rep").rank, other.rank);
        QVERIFY(!note("/r/worker_process_72.1.nsys-rep").wasExpected);
    }

    // 64 hosts with 8 processes of 4 ranges each: a ledger of this size must not cause a delay.
    void staysQuickWhenLarge()
    {
        std::vector<ExpectedFile> files;
        for (int host = 0; host < 64; ++host) {
            ExpectedFile file = nsysForecast();
            file.host = "node" + std::to_string(host);
            file.ranks.clear();
            for (int rank = 0; rank < 8; ++rank)
                file.ranks.push_back(8 * host + rank);
            file.rankCount = 8;
            file.reportsPerRank = 4;
            files.push_back(file);
        }
        Ledger ledger(files);
        QElapsedTimer timer;
        timer.start();
        for (int host = 0; host < 64; ++host) {
            for (int pid = 0; pid < 8; ++pid) {
                for (int range = 1; range <= 4; ++range) {
                    const std::string name = "/r/worker_process_" + std::to_string(pid) + "." +
                                             std::to_string(range) + ".nsys-rep";
                    ledger.noteFound("node" + std::to_string(host), name, "nsys report", 1, true, "");
                }
            }
        }
        QCOMPARE(stateCount(ledger, LedgerState::complete), size_t(2048));
        QCOMPARE(ledger.entries().size(), size_t(2048));
        qInfo("2,048 reports found their places in %lld ms", static_cast<long long>(timer.elapsed()));
    }

    void contentIsTheEvidence()
    {
        Ledger ledger(std::vector<ExpectedFile>{nsysForecast()});
        const size_t at =
            ledger.noteFound("node0", "/r/worker_process_70.1.nsys-rep", "nsys report", 5, true, "");
        ledger.noteDigest(at, "abc");
        ledger.noteFetched(at, "/here/a", false);
        QCOMPARE(ledger.entries()[at].state, LedgerState::fetched);
        // The file records rank 1, not rank 0.
        ContentCheck proof;
        proof.rows = 7;
        proof.rank = 1 - *ledger.entries()[at].rank;
        const size_t now = ledger.noteCheck(at, proof);
        QVERIFY(now != at);
        QCOMPARE(ledger.entries()[now].state, LedgerState::verified);
        QCOMPARE(ledger.entries()[now].path, std::string("/r/worker_process_70.1.nsys-rep"));
        QCOMPARE(ledger.entries()[now].rank, proof.rank);
        QVERIFY(ledger.entries()[at].path.empty());
        QCOMPARE(ledger.entries()[at].state, LedgerState::expected);
        // A verified report is not reset when it is listed again, but it is when it changed.
        ledger.noteFound("node0", "/r/worker_process_70.1.nsys-rep", "nsys report", 5, true, "");
        QCOMPARE(ledger.entries()[now].state, LedgerState::verified);
        ledger.noteFound("node0", "/r/worker_process_70.1.nsys-rep", "nsys report", 6, true, "");
        QCOMPARE(ledger.entries()[now].state, LedgerState::complete);
    }

    void emptyAndUnopened()
    {
        Ledger ledger;
        const size_t at = ledger.noteFound("h", "/a.json", "trace json", 5, true, "");
        ledger.noteFetched(at, "/here/a", false);
        ContentCheck empty;
        empty.problem = "holds no rows";
        ledger.noteCheck(at, empty);
        QCOMPARE(ledger.entries()[at].state, LedgerState::missing);
        empty.isUnopened = true;
        ledger.noteCheck(at, empty);
        QCOMPARE(ledger.entries()[at].state, LedgerState::fetched);
    }

    void theEndOfAHost()
    {
        Ledger ledger(torchForecast());
        ledger.noteCapture("node0", LedgerState::capturing);
        QCOMPARE(stateCount(ledger, LedgerState::capturing), size_t(1)); // the next one of its only rank
        ledger.noteCapture("node0", LedgerState::flushing);
        QCOMPARE(stateCount(ledger, LedgerState::flushing), size_t(1));
        ledger.noteFound("node0", "/d/actor_step2_rank0_pid7.json", "trace json", 10, false, "just written");
        ledger.closeHost("node0", "node0: killed");
        QCOMPARE(stateCount(ledger, LedgerState::missing), size_t(3));
        QCOMPARE(stateCount(ledger, LedgerState::capturing),
                 size_t(1)); // a file is there: listing will show it
        QCOMPARE(stateCount(ledger, LedgerState::expected), size_t(4)); // node1 continues
        ledger.close("gone");
        QCOMPARE(stateCount(ledger, LedgerState::missing), size_t(8));
        QCOMPARE(ledger.entries()[3].reason, std::string("node0: killed"));
        // A file that appears after all counts.
        ledger.noteFound("node0", "/d/actor_step5_rank0_pid7.json", "trace json", 10, true, "");
        QCOMPARE(stateCount(ledger, LedgerState::complete), size_t(1));
    }

    // A disk that two hosts share: each reports all files, including those of the other's ranks.
    void theSameFileSeenFromTwoHosts()
    {
        Ledger ledger(torchForecast());
        const size_t expected = ledger.entries().size();
        const std::string zero = "/d/actor_step2_rank0_pid7.json", eight = "/d/actor_step2_rank8_pid7.json";
        for (const char* host : {"node0", "node1"}) {
            for (const std::string& path : {zero, eight})
                ledger.noteFound(host, path, "trace json", 10, true, "");
        }
        QCOMPARE(ledger.entries().size(), expected + 2);
        for (const std::string& path : {zero, eight})
            ledger.noteSame(*ledger.find("node0", path), *ledger.find("node1", path));
        QCOMPARE(ledger.entries().size(), expected);
        QCOMPARE(stateCount(ledger, LedgerState::complete), size_t(2));
        // Each fills its reserved entry, known by both names.
        for (const auto& [path, host, rank] : {std::tuple(zero, "node0", 0), std::tuple(eight, "node1", 8)}) {
            const LedgerEntry& entry = ledger.entries()[*ledger.find("node0", path)];
            QCOMPARE(ledger.find("node0", path), ledger.find("node1", path));
            QVERIFY(entry.wasExpected);
            QCOMPARE(entry.host, std::string(host));
            QCOMPARE(entry.rank, std::optional<int64_t>(rank));
        }
        QVERIFY(sharedText(ledger).find("node0, node1 see the same 2 reports") == 0);
        // Repeated reports from either host add no duplicates; the ledger survives conversion to text.
        ledger.noteFound("node0", eight, "trace json", 10, true, "");
        QCOMPARE(ledger.entries().size(), expected);
        QCOMPARE(ledger.entries()[*ledger.find("node1", eight)].host, std::string("node1"));
        QVERIFY(*ledgerFromJson(jsonFromLedger(ledger)) == ledger);
    }

    void contentIdentifiesTheWriterOfASharedFile()
    {
        Ledger ledger;
        const size_t first = ledger.noteFound("node0", "/a/x.json", "trace json", 10, true, "");
        const size_t second = ledger.noteFound("node1", "/b/x.json", "trace json", 10, true, "");
        size_t at = ledger.noteSame(first, second);
        QCOMPARE(ledger.entries().size(), size_t(1));
        ContentCheck proof;
        proof.rows = 1;
        proof.host = "node1";
        at = ledger.noteCheck(at, proof);
        QCOMPARE(ledger.entries()[at].host, std::string("node1"));
        QCOMPARE(ledger.entries()[at].path, std::string("/b/x.json"));
        QCOMPARE(ledger.find("node0", "/a/x.json"), std::optional<size_t>(at));
        // A host that does not see the file has not written it.
        proof.host = "node2";
        QCOMPARE(ledger.entries()[ledger.noteCheck(at, proof)].host, std::string("node1"));
    }

    // Names without ranks: one host's file took the other's entry.
    void freedEntryIsFilled()
    {
        ExpectedFile file;
        file.kind = ReportKind::nsysReport;
        file.role = "actor";
        file.pattern = R"(w_(?<pid>\d+)\.nsys-rep)";
        file.rankCount = 1;
        std::vector<ExpectedFile> forecast{file, file};
        for (size_t i = 0; i < 2; ++i) {
            forecast[i].host = "node" + std::to_string(i);
            forecast[i].ranks = {static_cast<int64_t>(i)};
        }
        Ledger ledger(forecast);
        for (const char* host : {"node0", "node1"}) {
            for (const char* path : {"/w_1.nsys-rep", "/w_2.nsys-rep"})
                ledger.noteFound(host, path, "nsys report", 10, true, "");
        }
        QCOMPARE(ledger.entries().size(), size_t(4));
        for (const char* path : {"/w_1.nsys-rep", "/w_2.nsys-rep"})
            ledger.noteSame(*ledger.find("node0", path), *ledger.find("node1", path));
        QCOMPARE(ledger.entries().size(), size_t(2));
        QCOMPARE(stateCount(ledger, LedgerState::complete), size_t(2));
        QVERIFY(ledger.entries()[0].wasExpected && ledger.entries()[1].wasExpected);
    }

    void roundTripsThroughText()
    {
        Ledger ledger(torchForecast());
        const size_t at =
            ledger.noteFound("node1", "/d/actor_step5_rank8_pid7.json", "trace json", 10, true, "");
        ledger.noteDigest(at, "00ff");
        ledger.noteFetched(at, "/here/\"odd\"\nname", true);
        ledger.noteMissing(0, "a reason");
        const auto back = ledgerFromJson(jsonFromLedger(ledger));
        QVERIFY(back.has_value());
        QVERIFY(*back == ledger);
        for (const char* broken : {"", "{}", "[]", R"({"lockstep_ledger": 1, "entries": [{}]})",
                                   R"({"lockstep_ledger": 1, "entries": [3]})"})
            QVERIFY(!ledgerFromJson(broken));
    }
};

LOCKSTEP_TEST(LedgerTest, "ledger_test")
#include "ledger_test.moc"
