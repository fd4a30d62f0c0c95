// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/remote/seen_files.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Returns the entries after two hosts reported the same file in the same form.
size_t entriesToldByTwo(const RunEvent& event)
{
    Ledger ledger;
    SeenFiles seen;
    seen.noteReport(ledger, "node0", event, false);
    seen.noteReport(ledger, "node1", event, false);
    return ledger.entries().size();
}

ExpectedFile traceOfRankZero()
{
    ExpectedFile file;
    file.kind = ReportKind::torchTrace;
    file.role = "actor";
    file.pattern = R"(actor_step(?<step>\d+)_rank(?<rank>\d+)_pid(?<pid>\d+)\.json)";
    file.ranks = {0};
    file.rankCount = 1;
    file.steps = {{2}};
    return file;
}

} // namespace

class SeenFilesTest : public QObject {
    Q_OBJECT

  private slots:
    // The same number, timestamp, size and name: one file, until the digests differ.
    void twoHostsSeeOneFileWhileTheyRun()
    {
        Ledger ledger;
        SeenFiles seen;
        for (const char* host : {"node0", "node1", "node2"}) {
            ledger.noteFound(host, "/shared/x.json", "trace json", 10, true, "");
            seen.note(ledger, "7@1000000001", 10, {host, "/shared/x.json"});
        }
        QCOMPARE(ledger.entries().size(), size_t(1));
        QCOMPARE(ledger.entries()[0].alsoAt.size(), size_t(2));
        // Another timestamp, size or name: different files.
        ledger.noteFound("node1", "/own/x.json", "trace json", 10, true, "");
        QVERIFY(seen.note(ledger, "7@1000000002", 10, {"node1", "/own/x.json"}));
        QVERIFY(seen.note(ledger, "7@1000000001", 11, {"node1", "/own/x.json"}));
        QVERIFY(seen.note(ledger, "7@1000000001", 10, {"node1", "/own/y.json"}));
        QCOMPARE(ledger.entries().size(), size_t(2));

        ledger.noteDigest(0, std::string(64, 'a'));
        QVERIFY(!ledger.noteDifferent(0, {"node1", "/shared/x.json"}, std::string(64, 'a')));
        QVERIFY(ledger.noteDifferent(0, {"node1", "/shared/x.json"}, std::string(64, 'b')));
        QVERIFY(!ledger.find("node1", "/shared/x.json"));
        QVERIFY(
            ledger.noteDifferent(0, {"node0", "/shared/x.json"}, std::string(64, 'c'))); // the others keep it
        QCOMPARE(ledger.entries()[0].host, std::string("node2"));
        QVERIFY(
            !ledger.noteDifferent(0, {"node2", "/shared/x.json"}, std::string(64, 'd'))); // its own report
        for (const char* host : {"node0", "node1"})
            ledger.noteFound(host, "/shared/x.json", "trace json", 10, true, "");
        QCOMPARE(ledger.entries().size(), size_t(4));
    }

    // A timestamp in whole seconds, a missing number, a file that still grows: no proof.
    void unprovenFilesStaySeparate()
    {
        RunEvent event;
        event.path = "/shared/x.json";
        event.type = "trace json";
        event.size_bytes = 10;
        for (const auto& [inode, modified_ns, isComplete] :
             {std::tuple(int64_t(7), 3'000'000'000, true), std::tuple(int64_t(0), 3'000'000'001, true),
              std::tuple(int64_t(7), 3'000'000'001, false)}) {
            event.inode = inode;
            event.modified_ns = modified_ns;
            event.isComplete = isComplete;
            QCOMPARE(entriesToldByTwo(event), size_t(2));
        }
        event.isComplete = true;
        QCOMPARE(entriesToldByTwo(event), size_t(1));
    }

    // Written as x.json.tmp and renamed when whole: one report, and nothing is missing.
    void temporaryNameIsNotAReport()
    {
        Ledger ledger(std::vector{traceOfRankZero()});
        const size_t expected = ledger.entries().size();
        SeenFiles seen;
        const auto tell = [&](const char* path, int64_t inode, bool isComplete) {
            RunEvent event;
            event.path = path;
            event.type = "trace json";
            event.size_bytes = isComplete ? 20 : 10;
            event.inode = inode;
            event.isComplete = isComplete;
            event.text = isComplete ? "" : "cut short";
            seen.noteReport(ledger, "node0", event, false);
        };
        tell("/d/actor_step2_rank0_pid7.json.tmp", 5, false);
        QCOMPARE(ledger.entries().size(), expected + 1);
        tell("/d/actor_step2_rank0_pid7.json", 5, false);
        tell("/d/actor_step2_rank0_pid7.json", 5, true);
        QCOMPARE(ledger.entries().size(), expected);
        QCOMPARE(ledger.counts()[static_cast<size_t>(LedgerState::complete)], size_t(1));
        // If the number is reused by a file of another name, the deleted file remains in the list.
        tell("/d/y.json.tmp", 6, false);
        tell("/d/z.json", 6, true);
        QCOMPARE(ledger.entries().size(), expected + 2);
        // A complete file is not a temporary one, and its number may be reused.
        tell("/d/z.json.gz", 6, true);
        QCOMPARE(ledger.entries().size(), expected + 3);
    }
};

LOCKSTEP_TEST(SeenFilesTest, "seen_files_test")
#include "seen_files_test.moc"
