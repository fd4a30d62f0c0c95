// SPDX-License-Identifier: Apache-2.0
// Tests the ledger of Lockstep's own captures: names count the recordings of a process, content identifies
// its owner and step.
#include <QElapsedTimer>

#include "core/remote/ledger.h"
#include "core/session/expected_files.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kSpoolWord = "capture spool";

// Two hosts with one rank each, as a session forecasts them.
Ledger capturedBy(const char* more = "")
{
    const auto config =
        sessionFromYaml("lockstep_session: 1\nframework: torchrun\nlauncher: {kind: ssh}\n"
                        "hosts: [{name: node0}, {name: node1}]\ntorchrun: {processes_per_node: 1}\n"
                        "command: [train.py]\ntool: capture\nsave_path: /r\n" +
                        std::string(more));
    if (!config) qFatal("%s", config.error().message.c_str());
    return Ledger(forecastFiles(*config, {}));
}

ContentCheck captureProof(int64_t rank, std::optional<int64_t> step = {})
{
    ContentCheck proof;
    proof.rows = 7;
    proof.rank = rank;
    proof.step = step;
    return proof;
}

const LedgerEntry& capturedEntry(const Ledger& ledger, const char* host, const char* path)
{
    const auto at = ledger.find(host, path);
    if (!at) qFatal("%s is nowhere", path);
    return ledger.entries()[*at];
}

// Found, fetched, verified: in this order for each.
void takeCaptured(Ledger& ledger, const char* host, const char* path, const ContentCheck& proof)
{
    const size_t at = ledger.noteFound(host, path, kSpoolWord, 10, true, "");
    ledger.noteFetched(at, std::string("/here/") + host + path, false);
    ledger.noteCheck(at, proof);
}

} // namespace

class LedgerCaptureTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRankHasItsEntry()
    {
        Ledger ledger = capturedBy();
        QCOMPARE(ledger.entries().size(), size_t(2));
        // Both hosts have the same hostname and process number.
        takeCaptured(ledger, "node1", "/r/process_rank1_box_100.1.lsc", captureProof(1));
        takeCaptured(ledger, "node0", "/r/process_rank0_box_100.1.lsc", captureProof(0));
        QCOMPARE(ledger.entries().size(), size_t(2));
        QCOMPARE(ledger.counts()[static_cast<size_t>(LedgerState::verified)], size_t(2));
        QCOMPARE(capturedEntry(ledger, "node0", "/r/process_rank0_box_100.1.lsc").rank, 0);
        QCOMPARE(capturedEntry(ledger, "node1", "/r/process_rank1_box_100.1.lsc").rank, 1);
    }

    // In any order: the entry belongs to the rank whose name and content agree, and the other rank is
    // missing.
    void anotherRanksIdentityFillsNoEntry_data()
    {
        QTest::addColumn<bool>("isForgedFirst");
        QTest::newRow("forged first") << true;
        QTest::newRow("true first") << false;
    }
    void anotherRanksIdentityFillsNoEntry()
    {
        QFETCH(bool, isForgedFirst);
        Ledger one(std::vector<ExpectedFile>{[] {
            ExpectedFile file;
            file.kind = ReportKind::captureSpool;
            file.ranks = {0, 1};
            file.pattern = R"(process_rank(?<rank>\d+)_box_(?<pid>\d+)\.(?<range>\d+)\.lsc)";
            return file;
        }()});
        const char* const forged = "/r/process_rank1_box_9.1.lsc";
        const char* const truth = "/r/process_rank0_box_8.1.lsc";
        for (const char* path : {truth, forged})
            one.noteFetched(one.noteFound("node0", path, kSpoolWord, 10, true, ""),
                            std::string("/here") + path, false);
        for (const char* path : {isForgedFirst ? forged : truth, isForgedFirst ? truth : forged})
            one.noteCheck(*one.find("node0", path), captureProof(0));
        QCOMPARE(one.entries().size(), size_t(2));
        QCOMPARE(one.entries()[0].path, truth);
        QCOMPARE(one.entries()[0].state, LedgerState::verified);
        QCOMPARE(one.entries()[1].path, forged);
        QCOMPARE(one.entries()[1].state, LedgerState::missing);
        QCOMPARE(one.entries()[1].reason,
                 "its content identifies it as the same report as process_rank0_box_8.1.lsc; "
                 "its rank or step is unknown");
    }

    // The process began with the second of the steps: its first file is not that of the first step.
    void stepComesFromTheContent()
    {
        Ledger ledger = capturedBy("steps: [2, 3]\ncapture: {range: all}\n");
        QCOMPARE(ledger.entries().size(), size_t(4));
        takeCaptured(ledger, "node0", "/r/process_rank0_a_1.1.lsc", captureProof(0, 3));
        ledger.closeHost("node0", "the end");
        QCOMPARE(capturedEntry(ledger, "node0", "/r/process_rank0_a_1.1.lsc").steps, std::vector<int64_t>{3});
        size_t missing = 0;
        for (const LedgerEntry& entry : ledger.entries()) {
            if (entry.state != LedgerState::missing) continue;
            ++missing;
            QCOMPARE(entry.steps, std::vector<int64_t>{2});
        }
        QCOMPARE(missing, size_t(1));
    }

    void stagesAreCountedOnArrival()
    {
        Ledger ledger = capturedBy("steps: [2, 3]\ndiscrete: true\ncapture: {range: all}\n");
        for (int n = 1; n <= 6; ++n) {
            const std::string path = "/r/process_rank0_a_1." + std::to_string(n) + ".lsc";
            takeCaptured(ledger, "node0", path.c_str(), captureProof(0, n <= 3 ? 2 : 3));
            QCOMPARE(capturedEntry(ledger, "node0", path.c_str()).steps,
                     std::vector<int64_t>{n <= 3 ? 2 : 3});
        }
        QCOMPARE(ledger.entries().size(), size_t(8)); // two per rank are certain, four more arrived
        QCOMPARE(ledger.expectedCount(), size_t(4));
    }

    // The launcher's own process has no rank, and fills no missing entry.
    void processWithoutRankFillsNoEntry()
    {
        Ledger ledger = capturedBy();
        takeCaptured(ledger, "node0", "/r/process_rank_a_1.1.lsc", {});
        ledger.closeHost("node0", "the end");
        QCOMPARE(ledger.entries()[0].state, LedgerState::missing);
        QCOMPARE(ledger.entries().size(), size_t(3));
    }

    void troubleIsTheReason()
    {
        Ledger ledger = capturedBy();
        ledger.noteProblem("node0", "/elsewhere/x.json", "of no report");
        ledger.noteProblem("node1", "reports/process_rank1_a_1.1.lsc", "No space left on device (28)");
        for (const char* host : {"node0", "node1"})
            ledger.closeHost(host, "the end");
        QCOMPARE(ledger.entries()[0].reason, "the end");
        QCOMPARE(ledger.entries()[1].reason, "No space left on device (28)");
        QCOMPARE(ledger.entries()[1].state, LedgerState::missing);
    }

    void writtenByALiveProcessIsFlushing()
    {
        Ledger ledger = capturedBy();
        const char* const path = "/r/process_rank0_a_1.1.lsc";
        ledger.noteFound("node0", path, kSpoolWord, 10, false, "just written");
        QCOMPARE(capturedEntry(ledger, "node0", path).state, LedgerState::capturing);
        ledger.noteFound("node0", path, kSpoolWord, 10, false, "still being written by process 1", true);
        QCOMPARE(capturedEntry(ledger, "node0", path).state, LedgerState::flushing);
        ledger.noteFound("node0", path, kSpoolWord, 12, true, "");
        QCOMPARE(capturedEntry(ledger, "node0", path).state, LedgerState::complete);
    }

    // 128 hosts of 8 ranks, ten steps each, reported in an order that matches no forecast.
    void thousandRanks()
    {
        ExpectedFile file;
        file.kind = ReportKind::captureSpool;
        file.reportsPerRank = 10;
        for (int64_t step = 1; step <= 10; ++step)
            file.steps.push_back({step});
        for (int64_t rank = 0; rank < 1024; ++rank)
            file.ranks.push_back(rank);
        file.pattern = R"((?<role>[^_]+)_rank(?<rank>\d+)_(?<host>[^_]+)_(?<pid>\d+)\.(?<range>\d+)\.lsc)";
        Ledger ledger(std::vector<ExpectedFile>{file});
        QElapsedTimer timer;
        timer.start();
        for (int64_t i = 0; i < 10'240; ++i) {
            const int64_t rank = (i * 389) % 1024, number = 1 + (i / 1024 * 7) % 10;
            const std::string path = "/r/process_rank" + std::to_string(rank) + "_n_" +
                                     std::to_string(7'000 + rank) + "." + std::to_string(number) + ".lsc";
            ledger.noteFound("node" + std::to_string(rank / 8), path, kSpoolWord, 10, true, "");
        }
        qInfo("10240 reports took their places in %lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(ledger.entries().size(), size_t(10'240));
        QCOMPARE(ledger.counts()[static_cast<size_t>(LedgerState::complete)], size_t(10'240));
        for (const LedgerEntry& entry : ledger.entries())
            QVERIFY(entry.path.find("_rank" + std::to_string(*entry.rank) + "_") != std::string::npos &&
                    entry.path.ends_with("." + std::to_string(entry.order + 1) + ".lsc"));
    }

    // Losses during writing are reported together with the collected data.
    void lossIsReported()
    {
        Ledger ledger = capturedBy();
        ContentCheck proof = captureProof(0);
        proof.loss = "3 records lost";
        takeCaptured(ledger, "node0", "/r/process_rank0_a_1.1.lsc", proof);
        QCOMPARE(ledger.entries()[0].state, LedgerState::verified);
        QCOMPARE(ledger.entries()[0].reason, "3 records lost");
    }
};

LOCKSTEP_TEST(LedgerCaptureTest, "ledger_capture_test")
#include "ledger_capture_test.moc"
