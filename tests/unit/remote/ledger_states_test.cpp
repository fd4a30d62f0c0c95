// SPDX-License-Identifier: Apache-2.0
// Tests the states of incomplete reports, and their texts.
#include "app/run/run_lines.h"
#include "core/remote/ledger.h"
#include "core/remote/seen_files.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// A program that writes its own traces, any number of them.
ExpectedFile ownTraces(const std::string& host = "node0")
{
    ExpectedFile file;
    file.kind = ReportKind::torchTrace;
    file.host = host;
    file.folder = "out";
    file.pattern = R"(.+\.pt\.trace\.json)";
    return file;
}

size_t countOf(const Ledger& ledger, LedgerState state)
{
    return ledger.counts()[static_cast<size_t>(state)];
}

ContentCheck cutProof()
{
    ContentCheck proof;
    proof.rows = 7;
    proof.problem = "the file ends in the middle of an event; the part before the cut can be opened";
    proof.isCut = true;
    return proof;
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace

class LedgerStatesTest : public QObject {
    Q_OBJECT

  private slots:
    // Reports that fit a line without a number were expected; "1 of 1" would claim that exactly one was.
    void reportsWithoutRankAreExpected()
    {
        Ledger ledger(std::vector{ownTraces()});
        QCOMPARE(ledger.entries().size(), size_t(0));
        QVERIFY(!ledger.isCountKnown());
        QCOMPARE(joined(shortfalls(ledger)),
                 std::string("node0: no report of torch: no file name matches .+\\.pt\\.trace\\.json\n"));
        const size_t at = ledger.noteFound("node0", "/out/a.pt.trace.json", "trace json", 5, true, "");
        QVERIFY(ledger.entries()[at].wasExpected);
        ledger.noteFetched(at, "/here/a", false);
        ContentCheck proof;
        proof.rows = 3;
        proof.rank = 2;
        proof.role = "actor"; // by content only
        ledger.noteCheck(at, proof);
        QCOMPARE(ledger.entries()[at].rank, std::optional<int64_t>(2));
        QCOMPARE(ledger.summary(), std::string("1 verified (expected number unknown)"));
        QVERIFY(shortfalls(ledger).empty());
        const auto back = ledgerFromJson(jsonFromLedger(ledger));
        QVERIFY(back && *back == ledger);
        // A second name of its host does not make a second report, and a rename leaves nothing to wait for.
        const size_t other = ledger.noteFound("node0", "/out/b.pt.trace.json", "trace json", 5, false, "");
        ledger.noteRenamed("node0", "/out/b.pt.trace.json");
        QVERIFY(other == 1 && ledger.entries().size() == 1);
        QVERIFY(!ledger.entries()[ledger.noteFound("node0", "/out/c.json", "trace json", 5, true, "")]
                     .wasExpected);
    }

    void theSameFileOfTwoHostsIsOneReport()
    {
        Ledger ledger(std::vector{ownTraces("")});
        const size_t first = ledger.noteFound("node0", "/out/a.pt.trace.json", "trace json", 5, true, "");
        const size_t second = ledger.noteFound("node1", "/out/a.pt.trace.json", "trace json", 5, true, "");
        ledger.noteSame(first, second);
        QCOMPARE(ledger.entries().size(), size_t(1));
        ledger.close("gone");
        QCOMPARE(countOf(ledger, LedgerState::missing), size_t(0));
    }

    // Fetched without its end: present and usable, but incomplete.
    void reportWithoutItsEndIsTruncated()
    {
        Ledger ledger;
        const size_t at = ledger.noteFound("h", "/a.lsc", "capture spool", 5, false, "process 7 was ended");
        ledger.noteFetched(at, "/here/a.lsc", false);
        QCOMPARE(ledger.entries()[at].state, LedgerState::cutShort);
        ledger.noteCheck(at, cutProof());
        QCOMPARE(ledger.entries()[at].state, LedgerState::cutShort);
        QCOMPARE(ledger.summary(), std::string("1 cut short of 1"));
        ledger.close("its host has not completed it");
        QCOMPARE(ledger.entries()[at].state, LedgerState::cutShort);
        QCOMPARE(joined(shortfalls(ledger)), "h: /a.lsc: cut short: " + ledger.entries()[at].reason + "\n");
        // A report that this machine cannot open keeps the state that its host reported.
        const size_t binary =
            ledger.noteFound("h", "/b.nsys-rep", "nsys report", 5, false, "has no end mark");
        ledger.noteFetched(binary, "/here/b", false);
        ContentCheck unopened;
        unopened.problem = "no nsys here";
        unopened.isUnopened = true;
        ledger.noteCheck(binary, unopened);
        QCOMPARE(ledger.entries()[binary].state, LedgerState::cutShort);
        QCOMPARE(ledger.entries()[binary].reason, std::string("has no end mark; no nsys here"));
        // An empty report is not usable.
        ContentCheck empty = cutProof();
        empty.isCut = false;
        ledger.noteCheck(at, empty);
        QCOMPARE(ledger.entries()[at].state, LedgerState::missing);
    }

    void deletedReportIsMissing()
    {
        Ledger ledger;
        SeenFiles seen;
        RunEvent event;
        event.kind = EventKind::report;
        event.path = "/out/a.json";
        event.type = "trace json";
        event.size_bytes = 5;
        event.isComplete = true;
        seen.noteEvent(ledger, "h", event, false);
        QCOMPARE(countOf(ledger, LedgerState::complete), size_t(1));
        RunEvent gone;
        gone.kind = EventKind::report;
        gone.path = event.path;
        gone.isGone = true;
        gone.time_ns = 3'661'000'000'000;
        seen.noteEvent(ledger, "h", gone, false);
        const LedgerEntry& entry = ledger.entries().front();
        QCOMPARE(entry.state, LedgerState::missing);
        QVERIFY2(entry.reason.starts_with("gone: removed or renamed on its host at 01:01:01 UTC"),
                 entry.reason.c_str());
        QVERIFY(entry.reason.find("lockstep --attach") != std::string::npos);
        // A temporary name that disappears before its new name is seen leaves nothing behind.
        Ledger renamed;
        renamed.noteGone("h", "/out/b.json.tmp", 1);
        renamed.noteFound("h", "/out/b.json.tmp", "trace json", 5, false, "just written");
        renamed.noteGone("h", "/out/b.json.tmp", 1);
        renamed.noteRenamed("h", "/out/b.json.tmp");
        QCOMPARE(renamed.entries().size(), size_t(0));
        // The file exists again.
        seen.noteEvent(ledger, "h", event, false);
        QCOMPARE(countOf(ledger, LedgerState::complete), size_t(1));
        // Reports collected earlier remain.
        ledger.noteFetched(0, "/here/a", false);
        seen.noteEvent(ledger, "h", gone, false);
        QCOMPARE(countOf(ledger, LedgerState::fetched), size_t(1));
    }

    void foreignReportsAreFoundAndNotCollected()
    {
        Ledger ledger(std::vector{ownTraces()});
        const size_t own = ledger.noteFound("node0", "/w/a.pt.trace.json", "trace json", 5, true, "");
        const size_t stranger = ledger.noteFound("node0", "/w/other/x.json", "trace json", 5, true, "");
        ledger.noteShared(own);
        ledger.noteShared(stranger);
        QCOMPARE(ledger.entries()[own].state, LedgerState::complete);
        QCOMPARE(ledger.entries()[stranger].state, LedgerState::found);
        QCOMPARE(ledger.summary(),
                 std::string("1 complete (expected number unknown); 1 found, not collected"));
        QCOMPARE(shortfalls(ledger).size(), size_t(1)); // the complete one
        const std::string told = notCollectedText(ledger);
        QVERIFY2(told.find("/w/other/x.json") != std::string::npos, told.c_str());
        QVERIFY(ledgerText(ledger).find("found") != std::string::npos);
        ledger.close("the run is over");
        QCOMPARE(ledger.entries()[stranger].state, LedgerState::found);
        const auto back = ledgerFromJson(jsonFromLedger(ledger));
        QVERIFY(back && *back == ledger);
    }

    // A report that another run may have written can be opened, but does not certainly belong to this run.
    void doubtfulReportIsNotVerified()
    {
        Ledger ledger;
        const size_t at = ledger.noteFound("h", "/a.json", "trace json", 5, true, "");
        ledger.noteFetched(at, "/here/a", false);
        ContentCheck proof;
        proof.rows = 3;
        proof.uncertainty = "the run other wrote into the same folder at the same time";
        ledger.noteCheck(at, proof);
        QCOMPARE(ledger.entries()[at].state, LedgerState::fetched);
        QCOMPARE(shortfalls(ledger).size(), size_t(1));
    }

    // A lost host is one line, not a paragraph per report.
    void lostHostIsOneLine()
    {
        Ledger ledger;
        for (int i = 0; i < 12; ++i) {
            const std::string path = "/out/rank" + std::to_string(10 + i) + ".json";
            ledger.noteMissing(ledger.noteFound("node0", path, "trace json", 5, true, ""),
                               "no route to host");
        }
        ledger.noteMissing(ledger.noteFound("node1", "/out/x.json", "trace json", 5, true, ""), "empty");
        QCOMPARE(joined(shortfalls(ledger)),
                 std::string("node0: 12 reports in /out (rank10.json, rank11.json, rank12.json and 9 more): "
                             "missing: no route to host\n"
                             "node1: /out/x.json: missing: empty\n"));
    }
};

LOCKSTEP_TEST(LedgerStatesTest, "ledger_states_test")
#include "ledger_states_test.moc"
